"""Runs commands of the scenarios with the Python client.

One JSON text for each line of the input, and one line of output for each. `python driver.py` reads
the standard input; the tests' runtime calls answer().
"""

import json
import re
import sys
import warnings
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3] / "clients" / "python"))

from kefel import (  # noqa: E402
    CreatedPayment,
    Kefel,
    KefelConnectionError,
    KefelError,
    KefelException,
    WebhookVerificationError,
    sign_test_webhook,
    verify_webhook,
)

LIMITS = ("timeout_seconds", "deadline_seconds")


def answer(line: str) -> str:
    try:
        return json.dumps({"value": _value_of(json.loads(line))})
    except (KefelException, TypeError, ValueError) as error:
        return json.dumps({"error": {**_about(error), "message": str(error)}})


def _about(error: Exception) -> dict:
    if isinstance(error, KefelError):
        return {
            "kind": "api",
            "status": error.status,
            "code": error.code,
            "requestId": error.request_id,
            "docs": error.docs,
            "validationErrorCodes": error.validation_error_codes,
            "retryAfterSeconds": error.retry_after_seconds,
            "payment": error.payment,
        }
    if isinstance(error, KefelConnectionError):
        return {"kind": "connection"}
    if isinstance(error, WebhookVerificationError):
        return {"kind": "webhook"}
    return {"kind": "argument"}


def _value_of(command: dict) -> object:
    call, args, options = command["call"], command["args"], command["client"]
    if call.startswith("verifyWebhook"):
        return _verified(call, *args)
    if call == "signTestWebhook":
        event, secret, sending = args
        at = datetime.fromisoformat(sending["at"])
        signed = sign_test_webhook(event, secret, event_id=sending["id"], at=at)
        return {"rawBody": signed.raw_body.decode(), "headers": signed.headers}
    logged = []
    kefel = Kefel(**_with_snake_names(options), on_warning=logged.append)
    part, method, *is_warnings = call.split(".")
    if method in ("create", "express", "get", "cancel", "resend"):
        given = _with_snake_names(*args[1:])
        limits = {name: given.pop(name) for name in LIMITS if name in given}
        kefel = kefel.with_options(**limits)
        args = [args[0], given]
    value = _called(getattr(kefel, _snake(part)), method, args)
    return logged if is_warnings else value


def _verified(
    call: str, raw_body: str, headers: dict, secret: str, expected: dict = {}, others: dict = {}
) -> object:
    given = _with_snake_names({**expected, **_with_special_numbers(others)})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        webhook = verify_webhook(raw_body.encode(), headers, secret, **given)
    return asdict(webhook) if call == "verifyWebhook" else [str(w.message) for w in caught]


def _called(part: object, method: str, args: list) -> object:
    function = getattr(part, _snake(method))
    match method:
        case "list" | "all":
            value = function(**_with_snake_names(_with_times(*args)))
            return list(value) if method == "all" else value
        case "update":
            return function(*args)
        case "resendUndelivered":
            return function(datetime.fromisoformat(args[0]))
    value = function(_with_special_numbers(args[0]), **_with_snake_names(*args[1:]))
    if isinstance(value, CreatedPayment):
        names = {"checkoutUrl": value.checkout_url, "isReplayed": value.is_replayed}
        return {**names, "warnings": value.warnings}
    return value


def _with_times(values: dict = {}) -> dict:
    """created_from and the like as datetime."""
    return {
        name: datetime.fromisoformat(value) if name.endswith(("From", "To")) else value
        for name, value in values.items()
    }


def _with_special_numbers(request: object) -> object:
    """Numbers that JSON cannot write."""
    if not isinstance(request, dict):
        return request
    return {
        name: float(value["$number"]) if isinstance(value, dict) and "$number" in value else value
        for name, value in request.items()
    }


def _with_snake_names(values: dict | None = None) -> dict:
    return {_snake(name): value for name, value in (values or {}).items()}


def _snake(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)


if __name__ == "__main__":
    for text in sys.stdin:
        print(answer(text), flush=True)
