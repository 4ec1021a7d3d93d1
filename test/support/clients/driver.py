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
    WebhookVerificationError,
    verify_webhook,
)


def answer(line: str) -> str:
    try:
        return json.dumps({"value": _value_of(json.loads(line))})
    except KefelError as error:
        return json.dumps(
            {
                "error": {
                    "kind": "api",
                    "status": error.status,
                    "code": error.code,
                    "message": str(error),
                    "requestId": error.request_id,
                    "docs": error.docs,
                    "validationErrorCodes": error.validation_error_codes,
                    "retryAfterSeconds": error.retry_after_seconds,
                }
            }
        )
    except KefelConnectionError:
        return json.dumps({"error": {"kind": "connection"}})
    except WebhookVerificationError:
        return json.dumps({"error": {"kind": "webhook"}})
    except ValueError:
        return json.dumps({"error": {"kind": "argument"}})


def _value_of(command: dict) -> object:
    call, args, options = command["call"], command["args"], command["client"]
    if call.startswith("verifyWebhook"):
        raw_body, headers, secret, *expected = args
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            webhook = verify_webhook(
                raw_body.encode(), headers, secret, **_with_snake_names(*expected)
            )
        return asdict(webhook) if call == "verifyWebhook" else [str(w.message) for w in caught]
    client = Kefel(
        options["apiKey"], options["baseUrl"], timeout_seconds=options["timeoutSeconds"]
    )
    part, method = call.split(".")
    function = getattr(getattr(client, part), _snake(method))
    if method == "list":
        return function(**_with_snake_names(_with_times(args[0])))
    if method == "resendUndelivered":
        return function(datetime.fromisoformat(args[0]))
    value = function(_with_special_numbers(args[0]), **_with_snake_names(*args[1:]))
    if isinstance(value, CreatedPayment):
        return {"checkoutUrl": value.checkout_url, "isReplayed": value.is_replayed}
    return value


def _with_times(values: dict) -> dict:
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
