"""Rule learners: CTP, GNTP, Neural-LP and RNNLogic."""
