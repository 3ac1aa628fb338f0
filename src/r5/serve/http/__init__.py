"""The HTTP server: endpoints, validation of requests, access control, files of the page."""
