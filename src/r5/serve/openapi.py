"""The OpenAPI document, made from the endpoints so that it cannot say anything else than what is checked."""

from __future__ import annotations

from typing import Any

from r5 import __version__
from r5.serve.endpoints import ENDPOINTS, Endpoint
from r5.serve.limits import Limits

__all__ = ["STATUSES", "document"]

_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message"],
            "properties": {"message": {"type": "string", "description": "What is wrong, and what was expected"}},
        }
    },
}
STATUSES = {
    "400": "The request cannot be answered: a name that is not known, a field that does not fit",
    "401": "The token is missing or wrong (only where the server takes requests from other machines)",
    "403": "The request comes from another site",
    "404": "There is no such graph or rule",
    "413": "The request is too large",
    "415": "The body is of a type that is not read",
    "421": "The request was meant for another host",
    "503": "There are too many questions, or one took too long or too much memory",
}


def document(limits: Limits) -> dict[str, Any]:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "r5 explorer",
            "version": __version__,
            "description": "Ask a model about a graph. Fields go into the URL, or as a JSON object into the body.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": {endpoint.path: _path(endpoint, limits) for endpoint in ENDPOINTS},
        "components": {
            "schemas": {"Error": _ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _path(endpoint: Endpoint, limits: Limits) -> dict[str, Any]:
    identity = endpoint.name.replace("-", "_")
    about = {"summary": endpoint.about, "responses": _responses(endpoint)}
    if endpoint.has_body:
        text = {"schema": {"type": "string", "maxLength": limits.upload}}
        body = {"required": True, "content": {"text/plain": text, "text/tab-separated-values": text, "text/csv": text}}
        return {"post": {**about, "operationId": identity, "requestBody": body}}
    parameters = [
        {
            "name": field.name,
            "in": "query",
            "required": field.required,
            "description": field.about,
            # Lists stand in a URL as JSON.
            **(
                {"content": {"application/json": {"schema": field.schema()}}}
                if field.kind in ("texts", "numbers", "edits")
                else {"schema": field.schema()}
            ),
        }
        for field in endpoint.fields
    ]
    schema = {
        "type": "object",
        "additionalProperties": False,
        "required": [field.name for field in endpoint.fields if field.required],
        "properties": {field.name: field.schema() for field in endpoint.fields},
    }
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    return {
        "get": {**about, "operationId": identity, "parameters": parameters},
        "post": {**about, "operationId": f"{identity}_by_body", "requestBody": body},
    }


def _responses(endpoint: Endpoint) -> dict[str, Any]:
    kinds: dict[str, dict[str, Any]] = {
        "object": {"application/json": {"schema": {"type": "object"}}},
        "list": {"application/json": {"schema": {"type": "array", "items": {"type": "object"}}}},
        "text": {"text/tab-separated-values": {"schema": {"type": "string"}}},
    }
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {
        "200": {"description": endpoint.about, "content": kinds[endpoint.gives]},
        **{status: {"description": text, "content": error} for status, text in STATUSES.items()},
    }
