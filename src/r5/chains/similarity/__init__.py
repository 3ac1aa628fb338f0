"""Similar entities: kernel ridge regression over the properties of entities, as evidence for answers."""
