"""A client of Kefel for Python 3.10 and newer. It has no dependencies: copy this file.

README.md shows the first payment and a webhook. Fields of requests and answers are in the API
reference; the client passes them through as dictionaries.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import http.client
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

__all__ = [
    "CreatedPayment",
    "Kefel",
    "KefelConnectionError",
    "KefelError",
    "VerifiedWebhook",
    "WebhookVerificationError",
    "verify_webhook",
]

#: Of this client, and in the user agent that it sends.
__version__ = "0.1.0"

_FIRST_WAIT_SECONDS = 0.5
#: Where the gateway asks for a longer wait, the caller decides.
_WAIT_SECONDS_MAX = 30
#: A repeat may succeed, and is safe with the same Idempotency-Key.
_PASSING_STATUSES = frozenset({429, 500, 502, 503, 504})
#: The first try, whose answer got lost, is still in progress.
_PASSING_CODE = "idempotency_key_in_use"
#: How old a webhook may be: Standard Webhooks recommends five minutes.
_WEBHOOK_AGE_SECONDS_MAX = 300


class KefelError(Exception):
    """The gateway refused the request.

    After a status of 429, or of 500 and above, and after idempotency_key_in_use an earlier try may
    still have made the payment or the refund: proceed as after KefelConnectionError.

    status: the HTTP status
    code: for programs; "unknown" when the answer is not Kefel's, as that of a proxy
    request_id: give it to support
    docs: the page that says what to do
    validation_errors: a message for each field that broke a rule, by its path: items[0].price
    validation_error_codes: the same as codes: required, too_long
    """

    def __init__(self, status: int, body: dict[str, Any], retry_after_seconds: int | None) -> None:
        super().__init__(body.get("message", f"HTTP {status}"))
        self.status = status
        self.code: str = body.get("code", "unknown")
        self.request_id: str | None = body.get("requestId")
        self.docs: str | None = body.get("docs")
        self.validation_errors: dict[str, str] = body.get("validationErrors", {})
        self.validation_error_codes: dict[str, str] = body.get("validationErrorCodes", {})
        self.retry_after_seconds = retry_after_seconds


class KefelConnectionError(Exception):
    """No answer arrived, in any try.

    The payment or the refund may exist: read it by its id, or repeat the call with the same
    idempotency_key.
    """


class WebhookVerificationError(Exception):
    """A webhook that does not come from the gateway, or is too old. Answer it with 400."""


@dataclass(frozen=True)
class CreatedPayment:
    checkout_url: str
    #: Whether an earlier call with this idempotency_key created it.
    is_replayed: bool


class Kefel:
    """Calls the gateway in the environment of its key.

    api_key: kfl_test_… or kfl_live_…; decides the environment
    base_url: the gateway's address: https://pay.example.com; a live key goes by https only
    timeout_seconds: how long the gateway may stay silent; express payments wait for the provider
    retries_max: how often the client repeats a call after a failure that a repeat may cure
    """

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout_seconds: float = 60,
        retries_max: int = 3,
    ) -> None:
        transport = _Transport(api_key, base_url, timeout_seconds, retries_max)
        self.payments: Payments = Payments(transport)
        self.refunds: Refunds = Refunds(transport)
        self.events: Events = Events(transport)


class Payments:
    """Creating, reading and canceling payments."""

    def __init__(self, transport: _Transport) -> None:
        self._transport = transport

    def create(
        self, request: Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> CreatedPayment:
        """Creates a payment with a page. Redirect the customer to checkout_url.

        idempotency_key: a text of your own, to repeat a call safely in another process; random by
        default.
        """
        answer = self._transport.send("POST", "/intent", request, idempotency_key or _random_key())
        return CreatedPayment(answer.body["content"], answer.is_replayed)

    def express(
        self, request: Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        """Charges one method directly.

        The status SUCCESS means accepted, not paid: wait for the webhook. Charge again only after
        FAILURE.
        """
        answer = self._transport.send(
            "POST", "/express/pay", request, idempotency_key or _random_key()
        )
        return {**answer.body["content"], "isReplayed": answer.is_replayed}

    def get(self, payment_id: str | int) -> dict[str, Any]:
        """The payment with your id, its uuid or its integer id. Raises payment_not_found."""
        return self._transport.content("GET", f"/intents/{_segment(payment_id)}")

    def list(
        self,
        *,
        status: str | None = None,
        method: str | None = None,
        created_from: datetime | None = None,
        created_to: datetime | None = None,
        ended_from: datetime | None = None,
        ended_to: datetime | None = None,
        paid_from: datetime | None = None,
        paid_to: datetime | None = None,
        customer_phone: str | None = None,
        metadata: Mapping[str, str] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> dict[str, Any]:
        """A page of payments, newest first: data, hasMore, nextCursor. The list lags by seconds."""
        return self._transport.content(
            "GET",
            "/intents",
            query={
                "status": status,
                "method": method,
                "createdFrom": created_from,
                "createdTo": created_to,
                "endedFrom": ended_from,
                "endedTo": ended_to,
                "paidFrom": paid_from,
                "paidTo": paid_to,
                "customerPhone": customer_phone,
                "limit": limit,
                "cursor": cursor,
                **{f"metadata[{key}]": value for key, value in (metadata or {}).items()},
            },
        )

    def cancel(self, payment_id: str) -> dict[str, Any]:
        """Cancels while no attempt is under way; canceling twice changes nothing."""
        return self._transport.content("POST", f"/intents/{_segment(payment_id)}/cancel")


class Refunds:
    """Returning money to customers."""

    def __init__(self, transport: _Transport) -> None:
        self._transport = transport

    def create(
        self, request: Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        """Returns a payment, or a part of it. The outcome comes by webhook.

        request: paymentIntentUniqueId, refundUniqueId, and perhaps amountMinor (in minor units,
        5000 is 50.00; all that is left when the key is absent), reason, transactionId.
        Answers the refund and isReplayed. Refund again only after FAILED or CANCELED. Raises
        ValueError, and sends nothing, for an amountMinor that is there but no int, such as None.
        """
        amount = request.get("amountMinor")
        is_int = isinstance(amount, int) and not isinstance(amount, bool)
        if "amountMinor" in request and not is_int:
            raise ValueError(
                f"amountMinor must be an int of minor units, such as 5000 for 50.00, not {amount!r}. "
                "Leave it out to refund all that is left."
            )
        answer = self._transport.send(
            "POST", "/refunds", request, idempotency_key or _random_key()
        )
        return {**answer.body["content"], "isReplayed": answer.is_replayed}

    def get(self, refund_id: str) -> dict[str, Any]:
        """The refund with your id. Raises refund_not_found."""
        return self._transport.content("GET", f"/refunds/{_segment(refund_id)}")

    def list(
        self,
        *,
        payment_intent_unique_id: str | None = None,
        status: str | None = None,
        created_from: datetime | None = None,
        created_to: datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> dict[str, Any]:
        """A page of refunds, newest first: data, hasMore, nextCursor. The list lags by seconds."""
        return self._transport.content(
            "GET",
            "/refunds",
            query={
                "paymentIntentUniqueId": payment_intent_unique_id,
                "status": status,
                "createdFrom": created_from,
                "createdTo": created_to,
                "limit": limit,
                "cursor": cursor,
            },
        )

    def cancel(self, refund_id: str) -> dict[str, Any]:
        """Cancels while the refund is PENDING; canceling twice changes nothing."""
        return self._transport.content("POST", f"/refunds/{_segment(refund_id)}/cancel")


class Events:
    """What webhooks told you, or should have."""

    def __init__(self, transport: _Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        type: str | None = None,
        delivery_state: str | None = None,
        created_from: datetime | None = None,
        created_to: datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> dict[str, Any]:
        """A page of events, newest first: data, hasMore, nextCursor. The list lags by seconds."""
        return self._transport.content(
            "GET",
            "/events",
            query={
                "type": type,
                "deliveryState": delivery_state,
                "createdFrom": created_from,
                "createdTo": created_to,
                "limit": limit,
                "cursor": cursor,
            },
        )

    def get(self, event_id: str) -> dict[str, Any]:
        """The event with payload, the body that is sent."""
        return self._transport.content("GET", f"/events/{_segment(event_id)}")

    def resend(self, event_id: str) -> dict[str, Any]:
        """Sends the event again; one that is on its way stays as it is."""
        return self._transport.content("POST", f"/events/{_segment(event_id)}/resend")

    def resend_undelivered(
        self, since: datetime, *, cursor: str | None = None
    ) -> dict[str, Any]:
        """Sends again what no endpoint has accepted since a time, oldest first.

        Answers resent, unreachable, hasMore, nextCursor. Repeat the call with nextCursor while
        hasMore is true.
        """
        body = {"since": _iso(since), "cursor": cursor}
        return self._transport.content("POST", "/events/resend", body)


@dataclass(frozen=True)
class VerifiedWebhook:
    """A verified webhook. Deduplicate by id: an event may arrive more than once.

    Check type first: the payment's status stays SUCCESS in events of refunds.
    """

    id: str
    #: PAYMENT_ and SUCCESS, FAILED or EXPIRED; REFUND_ and SUCCESS or FAILED.
    type: str
    #: sandbox or production.
    environment: str
    #: The payment as the event found it; amounts are in minor units.
    payment: dict[str, Any]
    #: The refund of an event of a refund, in minor units.
    refund: dict[str, Any] | None


def verify_webhook(
    raw_body: bytes,
    headers: Mapping[str, str],
    secret: str,
    *,
    merchant_id: str | None = None,
    environment: str | None = None,
) -> VerifiedWebhook:
    """Checks the Standard Webhooks signature of a request to your endpoint, and whose event it is.

    raw_body: the body as it arrived, before any JSON parser.
    headers: those of your framework, or a dictionary with names in lower case.
    secret: whsec_…, from the dashboard.
    merchant_id: yours, from the dashboard; without it or environment it warns.
    environment: sandbox or production.
    Raises WebhookVerificationError.
    """
    event_id = headers.get("webhook-id") or ""
    timestamp = headers.get("webhook-timestamp") or ""
    is_number = re.fullmatch(r"[0-9]{1,15}", timestamp) is not None
    if not is_number or abs(time.time() - int(timestamp)) > _WEBHOOK_AGE_SECONDS_MAX:
        raise WebhookVerificationError("The webhook is too old, or its timestamp is missing")
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise WebhookVerificationError("The secret is not whsec_ and base64") from error
    if not key:
        # Any sender can sign with an empty key.
        raise WebhookVerificationError("The secret is missing")
    mac = hmac.new(key, f"{event_id}.{timestamp}.".encode() + raw_body, hashlib.sha256)
    expected = b"v1," + base64.b64encode(mac.digest())
    for signature in (headers.get("webhook-signature") or "").split(" "):
        if hmac.compare_digest(expected, signature.encode()):
            webhook = _decoded(event_id, raw_body)
            _check_tenant(webhook, merchant_id, environment)
            return webhook
    raise WebhookVerificationError("The signature does not fit")


def _decoded(event_id: str, raw_body: bytes) -> VerifiedWebhook:
    try:
        webhook = json.loads(raw_body)
        payment = json.loads(webhook["body"])
        return VerifiedWebhook(
            id=event_id,
            type=webhook["webHookEvent"],
            environment=webhook["environment"],
            payment=payment,
            refund=payment.get("refund"),
        )
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise WebhookVerificationError("The body is not a webhook") from error


def _check_tenant(
    webhook: VerifiedWebhook, merchant_id: str | None, environment: str | None
) -> None:
    """Events from before these fields have none: for them, the secret proves whose they are."""
    if merchant_id is None or environment is None:
        warnings.warn("pass merchant_id and environment to verify_webhook", stacklevel=3)
    event = {"merchantId": merchant_id, "environment": webhook.environment, **webhook.payment}
    given = (("merchantId", merchant_id), ("environment", environment))
    if any(value is not None and event[name] != value for name, value in given):
        raise WebhookVerificationError("The webhook is of another merchant or environment")


@dataclass(frozen=True)
class _Answer:
    status: int
    body: dict[str, Any]
    is_replayed: bool
    retry_after_seconds: int | None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the API key to another host."""

    def redirect_request(self, *_args: Any) -> None:
        return None


def _check_privacy(api_key: str, base_url: str) -> None:
    """Over plain http, any host on the way could read the key and take money with it."""
    url = urllib.parse.urlsplit(base_url)
    is_loopback = re.fullmatch(r"localhost|127\.\d+\.\d+\.\d+|::1", url.hostname or "")
    if api_key.startswith("kfl_live_") and url.scheme != "https" and not is_loopback:
        raise ValueError("base_url must begin with https://: plain http exposes a live key")


class _Transport:
    """Sends requests, and repeats them when that is safe and may help."""

    def __init__(
        self, api_key: str, base_url: str, timeout_seconds: float, retries_max: int
    ) -> None:
        _check_privacy(api_key, base_url)
        self._api_key = api_key
        environment = "/sandbox" if api_key.startswith("kfl_test_") else ""
        self._root = f"{base_url.rstrip('/')}/api/v1/payment{environment}"
        self._timeout_seconds = timeout_seconds
        self._retries_max = retries_max
        self._opener = urllib.request.build_opener(_NoRedirects)

    def content(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
    ) -> Any:
        """The content of the answer to a call that needs no idempotency key."""
        return self.send(method, path + _query(query or {}), body).body["content"]

    def send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> _Answer:
        headers = {
            "apiKey": self._api_key,
            # Firewalls refuse requests of unnamed programs.
            "user-agent": f"kefel-python/{__version__}",
        }
        if body is not None:
            headers["content-type"] = "application/json"
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        request = urllib.request.Request(
            self._root + path,
            method=method,
            headers=headers,
            data=None if body is None else json.dumps(body, default=_number).encode(),
        )
        retries = 0
        while True:
            answer = self._try(request)
            if isinstance(answer, _Answer) and answer.status == 200:
                return answer
            failure = _failure_of(answer)
            wait_seconds = _wait_before(retries, failure)
            if (
                retries >= self._retries_max
                or not _is_passing(failure)
                or wait_seconds > _WAIT_SECONDS_MAX
            ):
                raise failure
            time.sleep(wait_seconds)
            retries += 1

    def _try(self, request: urllib.request.Request) -> _Answer | KefelConnectionError:
        try:
            try:
                response = self._opener.open(request, timeout=self._timeout_seconds)
            except urllib.error.HTTPError as error:
                response = error
            with response:
                retry_after = response.headers.get("retry-after") or ""
                return _Answer(
                    status=response.status,
                    body=_object_in(response.read()),
                    is_replayed=response.headers.get("idempotent-replayed") == "true",
                    retry_after_seconds=int(retry_after) if retry_after.isdecimal() else None,
                )
        except (OSError, http.client.HTTPException) as error:
            failure = KefelConnectionError(f"No answer to {request.method} {request.selector}")
            failure.__cause__ = error
            return failure


def _failure_of(answer: _Answer | KefelConnectionError) -> KefelError | KefelConnectionError:
    if isinstance(answer, KefelConnectionError):
        return answer
    return KefelError(answer.status, answer.body, answer.retry_after_seconds)


def _is_passing(failure: KefelError | KefelConnectionError) -> bool:
    return (
        isinstance(failure, KefelConnectionError)
        or failure.status in _PASSING_STATUSES
        or failure.code == _PASSING_CODE
    )


def _wait_before(retries: int, failure: KefelError | KefelConnectionError) -> float:
    """What the gateway asks for; else half to all of a time that doubles with each retry."""
    if isinstance(failure, KefelError) and failure.retry_after_seconds is not None:
        return failure.retry_after_seconds
    limit = min(_WAIT_SECONDS_MAX, _FIRST_WAIT_SECONDS * 2**retries)
    return limit * random.uniform(0.5, 1)


def _random_key() -> str:
    return str(uuid.uuid4())


def _segment(value: str | int) -> str:
    return urllib.parse.quote(str(value), safe="")


def _query(values: Mapping[str, Any]) -> str:
    given = {
        name: _iso(value) if isinstance(value, datetime) else value
        for name, value in values.items()
        if value is not None
    }
    return f"?{urllib.parse.urlencode(given)}" if given else ""


def _iso(moment: datetime) -> str:
    """A naive datetime counts as local time."""
    return moment.astimezone().isoformat(timespec="milliseconds")


def _number(value: object) -> float:
    """An amount may be a Decimal. A float is exact for all amounts that the gateway accepts."""
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def _object_in(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        # A proxy in between may answer with a page.
        return {}
    return value if isinstance(value, dict) else {}
