"""Loading, generating and downloading data sets."""
