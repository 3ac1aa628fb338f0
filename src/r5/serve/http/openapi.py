"""OpenAPI document, built from the endpoints."""

from __future__ import annotations

from typing import Any

from r5 import __version__
from r5.serve.http.endpoints import ENDPOINTS, Endpoint
from r5.serve.limits import Limits

__all__ = ["STATUSES", "build_document"]

_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message"],
            "properties": {"message": {"type": "string", "description": "The error and the expected value"}},
        }
    },
}
STATUSES = {
    "400": "The request is invalid: an unknown name, an invalid field",
    "401": "The token is missing or wrong (only with `--allow-remote` or R5_TOKEN)",
    "403": "The request comes from another site",
    "404": "The graph or rule does not exist",
    "413": "The request is too large",
    "415": "The content type of the body is not supported",
    "421": "The request was meant for another host",
    "503": "Too many requests are waiting, or the request exceeded its time or memory limit",
}


def build_document(limits: Limits, prefix: str = "") -> dict[str, Any]:
    """Return the OpenAPI document; all paths are below the prefix."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "r5 explorer",
            "version": __version__,
            "description": "Queries to a model about a graph. Fields are URL parameters or a JSON object in the body.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": f"{prefix}/"}],
        "paths": {endpoint.path: _path(endpoint, limits) for endpoint in ENDPOINTS},
        "components": {
            "schemas": {"Error": _ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _path(endpoint: Endpoint, limits: Limits) -> dict[str, Any]:
    identity = endpoint.name.replace("-", "_")
    about = {"summary": endpoint.description, "responses": _responses(endpoint)}
    if endpoint.has_body:
        text = {"schema": {"type": "string", "maxLength": limits.upload}}
        body = {"required": True, "content": {"text/plain": text, "text/tab-separated-values": text, "text/csv": text}}
        return {"post": {**about, "operationId": identity, "requestBody": body}}
    parameters = [
        {
            "name": field.name,
            "in": "query",
            "required": field.required,
            "description": field.description,
            # URL parameters of list type are JSON.
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
        "200": {"description": endpoint.description, "content": kinds[endpoint.answer_type]},
        **{status: {"description": text, "content": error} for status, text in STATUSES.items()},
    }
