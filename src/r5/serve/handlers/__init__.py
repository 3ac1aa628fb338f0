"""Handlers of the endpoints, run in a worker: from the fields of a request to the value of an answer."""
