"""A client of Kefel for Python 3.10 and newer. It has no dependencies: copy this file.

README.md shows the first payment and a webhook. The dictionaries of requests and answers are at the
end, with types for type checkers; the API reference explains their keys. Amounts are in minor units
(15050 is 150.50), except in requests of payments and in payment links.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import difflib
import functools
import hashlib
import hmac
import http.client
import io
import json
import logging
import math
import random
import re
import secrets
import socket
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, cast

if sys.version_info >= (3, 11):
    from typing import NotRequired, Unpack
elif TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

__all__ = [
    "CreatedPayment",
    "Kefel",
    "KefelConnectionError",
    "KefelError",
    "KefelException",
    "SignedWebhook",
    "VerifiedWebhook",
    "WebhookVerificationError",
    "sign_test_webhook",
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
#: Keys have no other characters, and no other ones may reach a header.
_API_KEY = re.compile(r"kfl_(test|live)_[0-9A-Za-z]+")
#: What the gateway takes.
_IDEMPOTENCY_KEY = re.compile(r"[!-~]([ -~]{0,253}[!-~])?")
_ADDRESS = re.compile(r"https?://[^\s/?#@\\\x00-\x20\x7f]+(/[^\s?#\x00-\x20\x7f]*)?", re.IGNORECASE)
_LOOPBACK = re.compile(r"localhost|127\.\d+\.\d+\.\d+|::1")

_logger = logging.getLogger("kefel")


class KefelException(Exception):
    """What the client raises, except for arguments that make no request.

    request_id: give it to support; None without an answer of the gateway
    """

    def __init__(self, message: str, request_id: str | None = None) -> None:
        super().__init__(message)
        self.request_id = request_id


class KefelError(KefelException):
    """The gateway refused the request.

    After a status of 429, or of 500 and above, and after idempotency_key_in_use an earlier try may
    still have made the payment or the refund: proceed as after KefelConnectionError.

    status: the HTTP status
    code: for programs; "unknown" when the answer is not Kefel's, as that of a proxy
    docs: the page that says what to do
    validation_errors: a message for each field that broke a rule, by its path: items[0].price
    validation_error_codes: the same as codes: required, too_long
    payment: the payment that exists, after duplicate_payment_id, for a key that may read it
    """

    def __init__(self, status: int, body: dict[str, Any], retry_after_seconds: int | None) -> None:
        super().__init__(_text(body, "message") or f"HTTP {status}", _text(body, "requestId"))
        self.status = status
        self.code: str = _text(body, "code") or "unknown"
        self.docs: str | None = _text(body, "docs")
        self.validation_errors: dict[str, str] = _texts(body, "validationErrors")
        self.validation_error_codes: dict[str, str] = _texts(body, "validationErrorCodes")
        payment = body.get("payment")
        self.payment: Payment | None = (
            cast("Payment", payment) if isinstance(payment, dict) else None
        )
        self.retry_after_seconds = retry_after_seconds


class KefelConnectionError(KefelException):
    """No answer of the gateway arrived, in any try.

    The payment or the refund may exist: read it by its id, or repeat the call with the same
    idempotency_key.
    """


class WebhookVerificationError(KefelException):
    """A webhook that does not come from the gateway, or is too old. Answer it with 400."""


@dataclass(frozen=True)
class CreatedPayment:
    checkout_url: str
    #: Whether an earlier call with this idempotency_key created it.
    is_replayed: bool
    #: What the gateway says about a request that it accepted, such as a misspelled key.
    warnings: list[str]


class Kefel:
    """Calls the gateway in the environment of its key.

    api_key: kfl_test_… or kfl_live_…; decides the environment
    base_url: the gateway's address: https://pay.example.com; a live key goes by https only
    timeout_seconds: how long one try may take; express payments wait for the provider
    retries_max: how often the client repeats a call after a failure that a repeat may cure
    deadline_seconds: how long a call may take with all its tries
    on_warning: takes what the gateway says about a request that it accepted; by default the logger
    "kefel" does

    Raises ValueError for a key or an address that cannot work.
    """

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout_seconds: float = 60,
        retries_max: int = 3,
        deadline_seconds: float = 120,
        on_warning: Callable[[str], object] | None = None,
    ) -> None:
        key = _checked_key(api_key)
        self._connect(
            _Transport(
                key,
                _checked_address(base_url, key),
                _checked_seconds("timeout_seconds", timeout_seconds),
                retries_max,
                _checked_seconds("deadline_seconds", deadline_seconds),
                on_warning or _log_warning,
            )
        )

    def with_options(
        self, *, timeout_seconds: float | None = None, deadline_seconds: float | None = None
    ) -> Kefel:
        """This client with other limits: kefel.with_options(timeout_seconds=5).payments.get(id)."""
        old = self._transport
        timeout = old.timeout_seconds if timeout_seconds is None else timeout_seconds
        deadline = old.deadline_seconds if deadline_seconds is None else deadline_seconds
        kefel = Kefel.__new__(Kefel)
        kefel._connect(
            dataclasses.replace(
                old,
                timeout_seconds=_checked_seconds("timeout_seconds", timeout),
                deadline_seconds=_checked_seconds("deadline_seconds", deadline),
            )
        )
        return kefel

    def _connect(self, transport: _Transport) -> None:
        self._transport = transport
        self.payments: Payments = Payments(transport)
        self.refunds: Refunds = Refunds(transport)
        self.payment_links: PaymentLinks = PaymentLinks(transport)
        self.events: Events = Events(transport)
        self.webhook_endpoints: WebhookEndpoints = WebhookEndpoints(transport)
        self.webhook_keys: WebhookKeys = WebhookKeys(transport)
        self.banks: Banks = Banks(transport)


class Payments:
    """Creating, reading and canceling payments."""

    def __init__(self, transport: _Transport) -> None:
        self._transport = transport

    def create(
        self, request: HostedPaymentRequest, *, idempotency_key: str | None = None
    ) -> CreatedPayment:
        """Creates a payment with a page. Redirect the customer to checkout_url.

        idempotency_key: a text of your own, stored with the order: a later call with it, also of
        another process, creates no second payment. Random by default.
        Raises ValueError, and sends nothing, for an unknown key of the request.
        """
        _expect_keys(HostedPaymentRequest, request)
        key = _checked_idempotency_key(idempotency_key)
        answer = self._transport.send("POST", "/intent", request, key, kind=str)
        return CreatedPayment(answer.content, answer.is_replayed, answer.warnings)

    def express(
        self, request: ExpressPaymentRequest, *, idempotency_key: str | None = None
    ) -> ExpressPayment:
        """Charges one method directly.

        The status SUCCESS means accepted, not paid: wait for the webhook. Charge again only after
        FAILURE. The arguments are those of create.
        """
        _expect_keys(ExpressPaymentRequest, request)
        key = _checked_idempotency_key(idempotency_key)
        answer = self._transport.send("POST", "/express/pay", request, key)
        return cast("ExpressPayment", answer.with_details())

    def get(self, payment_id: str | int) -> Payment:
        """The payment with your id, its uuid or its integer id. Raises payment_not_found.

        While it is open, checkoutUrl is the customer's page.
        """
        return cast("Payment", self._transport.content("GET", f"/intents/{_segment(payment_id)}"))

    def list(self, **filter: Unpack[PaymentFilter]) -> PaymentPage:
        """A page of payments, newest first: data, hasMore, nextCursor. The list lags by seconds.

        PaymentFilter has the filters: status, metadata, created_from, cursor and more.
        """
        return cast("PaymentPage", self._transport.page("/intents", PaymentFilter, filter))

    def all(self, **filter: Unpack[PaymentFilter]) -> Iterator[PaymentSummary]:
        """The payments of all pages, newest first. It reads a page when the loop needs it."""
        rows = self._transport.rows("/intents", PaymentFilter, filter)
        return cast("Iterator[PaymentSummary]", rows)

    def cancel(self, payment_id: str | int) -> Payment:
        """Cancels while no attempt is under way; canceling twice changes nothing."""
        path = f"/intents/{_segment(payment_id)}/cancel"
        return cast("Payment", self._transport.content("POST", path))


class Refunds:
    """Returning money to customers."""

    def __init__(self, transport: _Transport) -> None:
        self._transport = transport

    def create(
        self, request: RefundRequest, *, idempotency_key: str | None = None
    ) -> CreatedRefund:
        """Returns a payment, or the part amountMinor of it (5000 is 50.00).

        The outcome comes by webhook. Refund again only after FAILED or CANCELED.
        idempotency_key: a text of your own, stored with the refund: a later call with it, also of
        another process, makes no second refund. Random by default.
        Raises ValueError, and sends nothing, for an unknown key, and for an amountMinor that is
        there but no int, such as None.
        """
        _expect_keys(RefundRequest, request)
        amount = request.get("amountMinor")
        is_int = isinstance(amount, int) and not isinstance(amount, bool)
        if "amountMinor" in request and not is_int:
            raise ValueError(
                "amountMinor must be an int of minor units, such as 5000 for 50.00, "
                f"not {amount!r}. Leave it out to refund all that is left."
            )
        key = _checked_idempotency_key(idempotency_key)
        answer = self._transport.send("POST", "/refunds", request, key)
        return cast("CreatedRefund", answer.with_details())

    def get(self, refund_id: str) -> Refund:
        """The refund with your id. Raises refund_not_found."""
        return cast("Refund", self._transport.content("GET", f"/refunds/{_segment(refund_id)}"))

    def list(self, **filter: Unpack[RefundFilter]) -> RefundPage:
        """A page of refunds, newest first: data, hasMore, nextCursor. The list lags by seconds.

        RefundFilter has the filters: payment_intent_unique_id, status, created_from and more.
        """
        return cast("RefundPage", self._transport.page("/refunds", RefundFilter, filter))

    def all(self, **filter: Unpack[RefundFilter]) -> Iterator[RefundSummary]:
        """The refunds of all pages, newest first. It reads a page when the loop needs it."""
        rows = self._transport.rows("/refunds", RefundFilter, filter)
        return cast("Iterator[RefundSummary]", rows)

    def cancel(self, refund_id: str) -> Refund:
        """Cancels while the refund is PENDING; canceling twice changes nothing."""
        path = f"/refunds/{_segment(refund_id)}/cancel"
        return cast("Refund", self._transport.content("POST", path))


class PaymentLinks:
    """Links that any number of customers pay by.

    Their amounts are in major units (150.5), also in answers.
    """

    def __init__(self, transport: _Transport) -> None:
        self._transport = transport

    def create(
        self, request: NewPaymentLink, *, idempotency_key: str | None = None
    ) -> CreatedPaymentLink:
        """Creates a link. Share its url, the page at which customers pay.

        idempotency_key: a later call with it creates no second link. Random by default.
        Raises ValueError, and sends nothing, for an unknown key of the request.
        """
        _expect_keys(NewPaymentLink, request)
        key = _checked_idempotency_key(idempotency_key)
        answer = self._transport.send("POST", "/links", request, key)
        return cast("CreatedPaymentLink", answer.with_details())

    def get(self, link_id: str) -> PaymentLink:
        """The link with your id. Raises payment_link_not_found."""
        return cast("PaymentLink", self._transport.content("GET", f"/links/{_segment(link_id)}"))

    def list(self, **filter: Unpack[PaymentLinkFilter]) -> PaymentLinkPage:
        """A page of links, newest first: data, hasMore, nextCursor.

        PaymentLinkFilter has the filters: is_active, created_from, cursor and more.
        """
        return cast("PaymentLinkPage", self._transport.page("/links", PaymentLinkFilter, filter))

    def all(self, **filter: Unpack[PaymentLinkFilter]) -> Iterator[PaymentLink]:
        """The links of all pages, newest first. It reads a page when the loop needs it."""
        rows = self._transport.rows("/links", PaymentLinkFilter, filter)
        return cast("Iterator[PaymentLink]", rows)

    def update(self, link_id: str, change: PaymentLinkChanges) -> PaymentLink:
        """Changes the keys that are there. {"isActive": True} activates the link again."""
        _expect_keys(PaymentLinkChanges, change)
        path = f"/links/{_segment(link_id)}"
        return cast("PaymentLink", self._transport.content("PATCH", path, change))

    def deactivate(self, link_id: str) -> PaymentLink:
        """Its page takes no more payments; deactivating twice changes nothing."""
        path = f"/links/{_segment(link_id)}/deactivate"
        return cast("PaymentLink", self._transport.content("POST", path))


class Events:
    """What webhooks told you, or should have."""

    def __init__(self, transport: _Transport) -> None:
        self._transport = transport

    def list(self, **filter: Unpack[EventFilter]) -> EventPage:
        """A page of events, newest first: data, hasMore, nextCursor. The list lags by seconds.

        EventFilter has the filters: payment_intent_unique_id, type, delivery_state and more.
        """
        return cast("EventPage", self._transport.page("/events", EventFilter, filter))

    def all(self, **filter: Unpack[EventFilter]) -> Iterator[Event]:
        """The events of all pages, newest first. It reads a page when the loop needs it."""
        return cast("Iterator[Event]", self._transport.rows("/events", EventFilter, filter))

    def get(self, event_id: str) -> EventWithPayload:
        """The event with payload, the body that is sent."""
        path = f"/events/{_segment(event_id)}"
        return cast("EventWithPayload", self._transport.content("GET", path))

    def resend(self, event_id: str) -> EventWithPayload:
        """Sends the event again; one that is on its way stays as it is."""
        path = f"/events/{_segment(event_id)}/resend"
        return cast("EventWithPayload", self._transport.content("POST", path))

    def resend_undelivered(self, since: datetime, *, cursor: str | None = None) -> ResendResult:
        """Sends again what no endpoint has accepted since a time, oldest first.

        Repeat the call with nextCursor while hasMore is true.
        """
        body = {"since": _iso(since), "cursor": cursor}
        return cast("ResendResult", self._transport.content("POST", "/events/resend", body))


class WebhookEndpoints:
    """Where the gateway sends webhooks."""

    def __init__(self, transport: _Transport) -> None:
        self._transport = transport

    def create(
        self, request: NewWebhookEndpoint, *, idempotency_key: str | None = None
    ) -> CreatedWebhookEndpoint:
        """Adds an endpoint. Store its secret: no other call shows it.

        idempotency_key: a later call with it adds no second endpoint. Random by default.
        """
        _expect_keys(NewWebhookEndpoint, request)
        key = _checked_idempotency_key(idempotency_key)
        answer = self._transport.send("POST", "/webhook-endpoints", request, key)
        return cast("CreatedWebhookEndpoint", answer.with_details())

    # The name `list` is the method's from here on, so the type has another one.
    def list(self) -> _List[WebhookEndpoint]:
        """All endpoints, oldest first."""
        content = self._transport.content("GET", "/webhook-endpoints", kind=list)
        return cast("_List[WebhookEndpoint]", content)

    def get(self, endpoint_id: str) -> WebhookEndpoint:
        """Raises webhook_endpoint_not_found."""
        path = f"/webhook-endpoints/{_segment(endpoint_id)}"
        return cast("WebhookEndpoint", self._transport.content("GET", path))

    def update(self, endpoint_id: str, change: WebhookEndpointChanges) -> WebhookEndpoint:
        """Changes the keys that are there. {"paused": False} resumes an endpoint."""
        _expect_keys(WebhookEndpointChanges, change)
        path = f"/webhook-endpoints/{_segment(endpoint_id)}"
        return cast("WebhookEndpoint", self._transport.content("PATCH", path, change))

    def delete(self, endpoint_id: str) -> WebhookEndpoint:
        """Answers the endpoint as it was."""
        path = f"/webhook-endpoints/{_segment(endpoint_id)}"
        return cast("WebhookEndpoint", self._transport.content("DELETE", path))

    def rotate_secret(
        self, endpoint_id: str, *, overlap_hours: int | None = None
    ) -> WebhookEndpointWithSecret:
        """Gives the endpoint a new secret.

        The old one signs too for overlap_hours, or as the API reference says. The client does not
        repeat this call: after a KefelConnectionError, call it again.
        """
        path = f"/webhook-endpoints/{_segment(endpoint_id)}/secret"
        content = self._transport.content_once(path, {"overlapHours": overlap_hours})
        return cast("WebhookEndpointWithSecret", content)


class WebhookKeys:
    """The public keys of the signature in the body of webhooks."""

    def __init__(self, transport: _Transport) -> None:
        self._transport = transport

    def list(self) -> _List[WebhookKey]:
        """Newest first, then retired keys."""
        content = self._transport.content("GET", "/webhook-keys", kind=list)
        return cast("_List[WebhookKey]", content)


class Banks:
    """The banks of split payments."""

    def __init__(self, transport: _Transport) -> None:
        self._transport = transport

    def list(self) -> _List[Bank]:
        return cast("_List[Bank]", self._transport.content("GET", "/banks", kind=list))


_List = list


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
    payment: EventBody
    #: The refund of an event of a refund, in minor units.
    refund: Refund | None


class _Headers(Protocol):
    def items(self) -> Iterable[tuple[str, Any]]: ...


def verify_webhook(
    raw_body: bytes | str,
    headers: _Headers,
    secret: str,
    *,
    merchant_id: str | None = None,
    environment: str | None = None,
    tolerance_seconds: float = _WEBHOOK_AGE_SECONDS_MAX,
) -> VerifiedWebhook:
    """Checks the Standard Webhooks signature of a request to your endpoint, and whose event it is.

    raw_body: the body as it arrived, before any JSON parser.
    headers: those of your framework, or a dictionary.
    secret: whsec_…, from the dashboard.
    merchant_id: yours, from the dashboard; without it or environment it warns.
    environment: sandbox or production.
    tolerance_seconds: how old a webhook may be.
    Raises WebhookVerificationError.
    """
    _checked_seconds("tolerance_seconds", tolerance_seconds)
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    event_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    is_number = re.fullmatch(r"[0-9]{1,15}", timestamp) is not None
    if not is_number or abs(time.time() - int(timestamp)) > tolerance_seconds:
        raise WebhookVerificationError("The webhook is too old, or its timestamp is missing")
    expected = _signature(event_id, timestamp, body, secret).encode()
    for signature in _header(headers, "webhook-signature").split(" "):
        if hmac.compare_digest(expected, signature.encode()):
            webhook = _decoded(event_id, body)
            _check_tenant(webhook, merchant_id, environment)
            return webhook
    raise WebhookVerificationError("The signature does not fit")


@dataclass(frozen=True)
class SignedWebhook:
    raw_body: bytes
    headers: dict[str, str]


def sign_test_webhook(
    event: Mapping[str, Any],
    secret: str,
    *,
    event_id: str | None = None,
    at: datetime | None = None,
) -> SignedWebhook:
    """A webhook as the gateway would send it, so that you can test your endpoint.

    event: the payment, with event, environment and merchantId: the decoded body of a webhook.
    secret: whsec_… of the endpoint under test.
    event_id: random by default.
    at: when it is sent; now by default.
    """
    type = event.get("event", "PAYMENT_SUCCESS")
    envelope = {
        "webHookEvent": type,
        "paymentIntentUniqueId": event.get("uniqueId"),
        "environment": event.get("environment", "sandbox"),
        "payloadVersion": _PAYLOAD_VERSION,
        "status": "REFUNDED" if type == "REFUND_SUCCESS" else type.removeprefix("PAYMENT_"),
        # Only the gateway can make this second signature.
        "signature": "",
        "body": _json(event),
    }
    raw_body = _json(envelope).encode()
    given_id = f"evt_{secrets.token_hex(16)}" if event_id is None else event_id
    timestamp = str(int(time.time() if at is None else at.timestamp()))
    return SignedWebhook(
        raw_body,
        {
            "content-type": "application/json; charset=utf-8",
            "webhook-id": given_id,
            "webhook-timestamp": timestamp,
            "webhook-signature": _signature(given_id, timestamp, raw_body, secret),
        },
    )


def _header(headers: _Headers, name: str) -> str:
    """Two values would leave open which of them is signed, so they count as none."""
    values: list[Any] = []
    for key, value in headers.items():
        if key.lower() == name:
            values.extend(value if isinstance(value, (list, tuple)) else [value])
    return values[0] if len(values) == 1 and isinstance(values[0], str) else ""


def _signature(event_id: str, timestamp: str, raw_body: bytes, secret: str) -> str:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise WebhookVerificationError("The secret is not whsec_ and base64") from error
    if not key:
        # Any sender can sign with an empty key.
        raise WebhookVerificationError("The secret is missing")
    mac = hmac.new(key, f"{event_id}.{timestamp}.".encode() + raw_body, hashlib.sha256)
    return "v1," + base64.b64encode(mac.digest()).decode()


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
    content: Any
    is_replayed: bool
    warnings: list[str]

    def with_details(self) -> dict[str, Any]:
        return {**self.content, "isReplayed": self.is_replayed, "warnings": self.warnings}


@dataclass(frozen=True, repr=False)
class _Transport:
    """Sends requests, and repeats them when that is safe and may help."""

    api_key: str
    base_url: str
    timeout_seconds: float
    retries_max: int
    deadline_seconds: float
    on_warning: Callable[[str], object]

    def content(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        kind: type = dict,
    ) -> Any:
        """The content of the answer to a call that needs no idempotency key."""
        return self.send(method, path, body, kind=kind).content

    def content_once(self, path: str, body: Mapping[str, Any]) -> Any:
        """The content of the answer to a POST that would do its work a second time."""
        return self.send("POST", path, body, is_repeatable=False).content

    def page(self, path: str, known: type, filter: Mapping[str, Any]) -> Any:
        _expect_keys(known, filter, TypeError)
        return self.content("GET", path + _query(filter))

    def rows(self, path: str, known: type, filter: Mapping[str, Any]) -> Iterator[Any]:
        """The rows of the page that the filter asks for, and of all pages after it."""
        _expect_keys(known, filter, TypeError)
        return self._rows(path, known, filter)

    def _rows(self, path: str, known: type, filter: Mapping[str, Any]) -> Iterator[Any]:
        page = self.page(path, known, filter)
        yield from page["data"]
        while page["hasMore"]:
            page = self.page(path, known, {**filter, "cursor": page["nextCursor"]})
            yield from page["data"]

    def send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        *,
        kind: type = dict,
        is_repeatable: bool = True,
    ) -> _Answer:
        request = self._request(method, path, body, idempotency_key)
        deadline = time.monotonic() + self.deadline_seconds
        retries = 0
        while True:
            answer = self._try(
                request, kind, min(self.timeout_seconds, deadline - time.monotonic())
            )
            if isinstance(answer, _Answer):
                for warning in answer.warnings:
                    self.on_warning(warning)
                return answer
            wait_seconds = _wait_before(retries, answer)
            if (
                retries >= self.retries_max
                or not _is_passing(answer, is_repeatable)
                or wait_seconds > _WAIT_SECONDS_MAX
                or time.monotonic() + wait_seconds >= deadline
            ):
                raise answer
            time.sleep(wait_seconds)
            retries += 1

    def _request(
        self, method: str, path: str, body: Mapping[str, Any] | None, idempotency_key: str | None
    ) -> urllib.request.Request:
        headers = {
            "apiKey": self.api_key,
            # Firewalls refuse requests of unnamed programs.
            "user-agent": f"kefel-python/{__version__}",
        }
        if body is not None:
            headers["content-type"] = "application/json"
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        environment = "/sandbox" if self.api_key.startswith("kfl_test_") else ""
        return urllib.request.Request(
            f"{self.base_url}/api/v1/payment{environment}{path}",
            method=method,
            headers=headers,
            data=None if body is None else _json(body).encode(),
        )

    def _try(
        self, request: urllib.request.Request, kind: type, timeout_seconds: float
    ) -> _Answer | KefelException:
        call = f"{request.get_method()} {request.selector}"
        try:
            response: Any
            try:
                response = _opener().open(request, timeout=max(timeout_seconds, 0.001))
            except urllib.error.HTTPError as error:
                response = error
            with response:
                status: int = response.status
                headers: Mapping[str, str] = response.headers
                # A proxy in between may answer with a page.
                body = _object_in(response.read())
        except (OSError, http.client.HTTPException) as error:
            failure = KefelConnectionError(f"No answer to {call}: {error}")
            failure.__cause__ = error
            return failure
        if not 200 <= status <= 299:
            retry_after = headers.get("retry-after") or ""
            return KefelError(status, body, int(retry_after) if retry_after.isdecimal() else None)
        content = body.get("content")
        if not isinstance(body.get("status"), int) or not isinstance(content, kind):
            return KefelConnectionError(f"The answer to {call} is not the gateway's")
        return _Answer(
            content,
            is_replayed=headers.get("idempotent-replayed") == "true",
            warnings=[text for text in body.get("warnings") or [] if isinstance(text, str)],
        )


class _Reader(io.RawIOBase):
    """Reads a socket until a deadline, also when each byte comes just in time."""

    def __init__(self, sock: socket.socket, file: Any, deadline: float) -> None:
        self._socket = sock
        #: Keeps the socket open until the answer is read.
        self._file = file
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left_seconds = self._deadline - time.monotonic()
        if left_seconds <= 0:
            raise TimeoutError("timed out")
        self._socket.settimeout(left_seconds)
        return self._socket.recv_into(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, deadline: float, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp: Any = io.BufferedReader(_Reader(sock, self.fp, deadline))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the API key to another host."""

    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        return None


@functools.cache
def _opener() -> urllib.request.OpenerDirector:
    """With the proxies of the environment. Its calls end in time, also with a slow answer."""
    opener = urllib.request.build_opener(_NoRedirects)
    for handler in opener.handlers:  # type: ignore[attr-defined]
        if isinstance(handler, urllib.request.AbstractHTTPHandler):
            do_open = functools.partial(_open_in_time, handler.do_open)
            handler.do_open = do_open  # type: ignore[method-assign]
    return opener


def _open_in_time(
    do_open: Callable[..., http.client.HTTPResponse],
    connection_class: Callable[..., Any],
    request: urllib.request.Request,
    **options: Any,
) -> http.client.HTTPResponse:
    deadline = time.monotonic() + (request.timeout or 0)

    def connect(host: str, **given: Any) -> Any:
        connection = connection_class(host, **given)
        connection.response_class = functools.partial(_Response, deadline=deadline)
        return connection

    return do_open(connect, request, **options)


def _is_passing(failure: KefelException, is_repeatable: bool) -> bool:
    if not isinstance(failure, KefelError):
        return is_repeatable
    if failure.status == 429:
        # The gateway refused it before it did anything.
        return True
    return is_repeatable and (failure.status in _PASSING_STATUSES or failure.code == _PASSING_CODE)


def _wait_before(retries: int, failure: KefelException) -> float:
    """What the gateway asks for; else half to all of a time that doubles with each retry."""
    if isinstance(failure, KefelError) and failure.retry_after_seconds is not None:
        return failure.retry_after_seconds
    limit: float = min(_WAIT_SECONDS_MAX, _FIRST_WAIT_SECONDS * 2**retries)
    return limit * random.uniform(0.5, 1)


def _log_warning(warning: str) -> None:
    _logger.warning("%s", warning)


def _checked_key(api_key: str) -> str:
    """Without the blanks and line ends that a copy or a file adds."""
    key = api_key.strip()
    if _API_KEY.fullmatch(key):
        return key
    raise ValueError(
        "api_key must be kfl_test_ or kfl_live_ with letters and digits, as the dashboard showed it"
        if key
        else "api_key is empty"
    )


def _checked_address(base_url: str, api_key: str) -> str:
    address = base_url.strip().rstrip("/")
    url = urllib.parse.urlsplit(address) if _ADDRESS.fullmatch(address) else None
    if url is None or not url.hostname:
        raise ValueError(
            "base_url must be the address of the gateway alone, such as https://pay.example.com"
        )
    if re.search(r"/api/v1/payment(/|$)", url.path, re.IGNORECASE):
        raise ValueError(
            "base_url must be the address of the gateway alone: leave out /api/v1/payment"
        )
    is_private = url.scheme == "https" or _LOOPBACK.fullmatch(url.hostname)
    if api_key.startswith("kfl_live_") and not is_private:
        # Any host on the way could read the key and take money with it.
        raise ValueError("base_url must begin with https://: plain http exposes a live key")
    return address


def _checked_seconds(name: str, seconds: float) -> float:
    if not math.isfinite(seconds) or seconds <= 0:
        raise ValueError(f"{name} must be a number above 0")
    return seconds


def _checked_idempotency_key(key: str | None) -> str:
    """The caller's, or a random one."""
    if key is None:
        return str(uuid.uuid4())
    if not _IDEMPOTENCY_KEY.fullmatch(key):
        raise ValueError(
            "idempotency_key must be 1 to 255 printable ASCII characters without blanks around them"
        )
    return key


def _expect_keys(known: type, given: Iterable[str], failure: type[Exception] = ValueError) -> None:
    """The gateway ignores a key that it does not know, so a misspelled one would get lost."""
    names = list(known.__annotations__)
    for key in given:
        if key not in names:
            nearest = difflib.get_close_matches(_plain(key), map(_plain, names), 1, 0)
            likely = [name for name in names if _plain(name) in nearest]
            raise failure(f"Unknown key {key!r}. Did you mean {likely[0]!r}?")


def _plain(name: object) -> str:
    return str(name).replace("_", "").lower()


def _segment(value: str | int) -> str:
    """The id as a segment of a path. These three would lead to another path."""
    if value in ("", ".", ".."):
        raise ValueError("The id is empty")
    return urllib.parse.quote(str(value), safe="")


def _query(filter: Mapping[str, Any]) -> str:
    given: dict[str, Any] = {}
    for name, value in filter.items():
        if isinstance(value, Mapping):
            given.update({f"{name}[{key}]": text for key, text in value.items()})
        elif value is not None:
            given[_camel(name)] = _query_value(value)
    return f"?{urllib.parse.urlencode(given)}" if given else ""


def _query_value(value: Any) -> Any:
    """As the gateway reads it: Python's own text of a boolean begins with a capital."""
    if isinstance(value, datetime):
        return _iso(value)
    return str(value).lower() if isinstance(value, bool) else value


def _camel(name: str) -> str:
    return re.sub("_([a-z])", lambda letter: letter[1].upper(), name)


def _iso(moment: datetime) -> str:
    """A naive datetime counts as local time."""
    return moment.astimezone().isoformat(timespec="milliseconds")


def _json(value: Mapping[str, Any]) -> str:
    """Raises ValueError for NaN, which JSON cannot write."""
    return json.dumps(dict(value), default=_number, allow_nan=False)


def _number(value: object) -> float:
    """An amount may be a Decimal. A float is exact for all amounts that the gateway accepts."""
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def _object_in(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _text(body: Mapping[str, Any], name: str) -> str | None:
    value = body.get(name)
    return value if isinstance(value, str) else None


def _texts(body: Mapping[str, Any], name: str) -> dict[str, str]:
    value = body.get(name)
    return {key: str(text) for key, text in value.items()} if isinstance(value, dict) else {}


# Generated by `npm run generate` out of public/openapi.json: do not edit from here on.

#: Of the webhooks that sign_test_webhook makes.
_PAYLOAD_VERSION = "2026-11-23"


class Item(TypedDict):
    name: str
    description: NotRequired[str | None]
    image: NotRequired[str | None]
    type: Literal["SERVICE", "DIGITAL_PRODUCT", "PHYSICAL_PRODUCT"]
    price: float | Decimal
    quantity: int


class SplitPayment(TypedDict):
    bank: str
    creditAccount: str
    amount: float | Decimal
    splitType: Literal["PERCENTAGE", "NUMBER"]


class HostedPaymentRequestCustomerInfo(TypedDict):
    """What you know of the customer"""

    name: NotRequired[str | None]
    email: NotRequired[str | None]
    phone: NotRequired[str | None]
    isPhoneUpdatable: NotRequired[bool | None]


class HostedPaymentRequest(TypedDict):
    amount: NotRequired[float | Decimal | None]
    items: NotRequired[list[Item] | None]
    currency: Literal["ETB", "USD"]
    paymentIntentUniqueId: str
    paymentLinkUniqueId: NotRequired[str | None]
    splitPayment: NotRequired[list[SplitPayment] | None]
    expireIn: int
    callbackUrl: NotRequired[str | None]
    refundEvents: NotRequired[bool | None]
    commissionPaidByCustomer: bool
    metadata: NotRequired[dict[str, str] | None]
    methods: list[Literal["TELE_BIRR", "TELE_BIRR_USSD", "CBE", "ETS_SWITCH", "M_PESA", "E_BIRR"]]
    customerInfo: NotRequired[HostedPaymentRequestCustomerInfo | None]
    returnUrl: str


class ExpressPaymentRequestCustomerInfo(TypedDict):
    """What you know of the customer"""

    name: NotRequired[str | None]
    email: NotRequired[str | None]
    phone: NotRequired[str | None]


class TestMode(TypedDict):
    """How the sandbox simulates the payment: required there, ignored in production"""

    testModeType: Literal["ACTUAL_TEST", "SIMULATED_TEST"]
    simulationStatus: NotRequired[Literal["SUCCESS", "FAILED"] | None]


class ExpressPaymentRequest(TypedDict):
    amount: NotRequired[float | Decimal | None]
    items: NotRequired[list[Item] | None]
    currency: Literal["ETB", "USD"]
    paymentIntentUniqueId: str
    paymentLinkUniqueId: NotRequired[str | None]
    splitPayment: NotRequired[list[SplitPayment] | None]
    expireIn: int
    callbackUrl: NotRequired[str | None]
    refundEvents: NotRequired[bool | None]
    commissionPaidByCustomer: bool
    metadata: NotRequired[dict[str, str] | None]
    method: Literal["TELE_BIRR", "TELE_BIRR_USSD", "CBE", "ETS_SWITCH", "M_PESA", "E_BIRR"]
    telebirrForm: NotRequired[Literal["IN_APP", "MINI_APP"] | None]
    returnUrl: NotRequired[str | None]
    phoneNumber: NotRequired[str | None]
    customerInfo: NotRequired[ExpressPaymentRequestCustomerInfo | None]
    testMode: NotRequired[TestMode]
    debitAccount: NotRequired[str | None]
    description: NotRequired[str | None]


class RefundRequest(TypedDict):
    paymentIntentUniqueId: str
    refundUniqueId: str
    amountMinor: NotRequired[int]
    reason: NotRequired[str | None]
    transactionId: NotRequired[str | None]


class NewWebhookEndpoint(TypedDict):
    url: str
    eventTypes: NotRequired[list[Literal[
        "PAYMENT_SUCCESS",
        "PAYMENT_FAILED",
        "PAYMENT_EXPIRED",
        "REFUND_REQUIRES_ACTION",
        "REFUND_SUCCESS",
        "REFUND_FAILED",
    ]] | None]
    description: NotRequired[str | None]
    enabled: NotRequired[bool | None]
    signatureHeader: NotRequired[str | None]


class WebhookEndpointChanges(TypedDict):
    url: NotRequired[str | None]
    eventTypes: NotRequired[list[Literal[
        "PAYMENT_SUCCESS",
        "PAYMENT_FAILED",
        "PAYMENT_EXPIRED",
        "REFUND_REQUIRES_ACTION",
        "REFUND_SUCCESS",
        "REFUND_FAILED",
    ]] | None]
    description: NotRequired[str | None]
    enabled: NotRequired[bool | None]
    signatureHeader: NotRequired[str | None]
    paused: NotRequired[bool | None]


class NewPaymentLinkOpenAmount(TypedDict):
    """The customer types the amount"""

    min: NotRequired[float | Decimal | None]
    max: NotRequired[float | Decimal | None]
    suggestions: NotRequired[list[float | Decimal] | None]


class NewPaymentLinkItem(TypedDict):
    name: str
    description: NotRequired[str | None]
    type: Literal["SERVICE", "DIGITAL_PRODUCT", "PHYSICAL_PRODUCT"]
    price: float | Decimal
    quantityMax: NotRequired[int | None]


class NewPaymentLinkAskFor(TypedDict):
    """What the page asks the customer for"""

    name: NotRequired[Literal["NO", "OPTIONAL", "REQUIRED"] | None]
    phone: NotRequired[Literal["NO", "OPTIONAL", "REQUIRED"] | None]
    email: NotRequired[Literal["NO", "OPTIONAL", "REQUIRED"] | None]
    note: NotRequired[Literal["NO", "OPTIONAL", "REQUIRED"] | None]


class NewPaymentLink(TypedDict):
    paymentLinkUniqueId: NotRequired[str | None]
    title: str
    description: NotRequired[str | None]
    amount: NotRequired[float | Decimal | None]
    openAmount: NotRequired[NewPaymentLinkOpenAmount | None]
    items: NotRequired[list[NewPaymentLinkItem] | None]
    currency: NotRequired[Literal["ETB", "USD"] | None]
    methods: NotRequired[list[Literal[
        "TELE_BIRR",
        "TELE_BIRR_USSD",
        "CBE",
        "ETS_SWITCH",
        "M_PESA",
        "E_BIRR",
    ]] | None]
    askFor: NotRequired[NewPaymentLinkAskFor | None]
    commissionPaidByCustomer: NotRequired[bool | None]
    splitPayment: NotRequired[list[SplitPayment] | None]
    validUntil: NotRequired[str | None]
    paymentsMax: NotRequired[int | None]
    paidText: NotRequired[str | None]
    returnUrl: NotRequired[str | None]
    callbackUrl: NotRequired[str | None]
    metadata: NotRequired[dict[str, str] | None]
    isActive: NotRequired[bool | None]


class PaymentLinkChangesOpenAmount(TypedDict):
    """The customer types the amount"""

    min: NotRequired[float | Decimal | None]
    max: NotRequired[float | Decimal | None]
    suggestions: NotRequired[list[float | Decimal] | None]


class PaymentLinkChangesItem(TypedDict):
    name: str
    description: NotRequired[str | None]
    type: Literal["SERVICE", "DIGITAL_PRODUCT", "PHYSICAL_PRODUCT"]
    price: float | Decimal
    quantityMax: NotRequired[int | None]


class PaymentLinkChangesAskFor(TypedDict):
    """What the page asks the customer for"""

    name: NotRequired[Literal["NO", "OPTIONAL", "REQUIRED"] | None]
    phone: NotRequired[Literal["NO", "OPTIONAL", "REQUIRED"] | None]
    email: NotRequired[Literal["NO", "OPTIONAL", "REQUIRED"] | None]
    note: NotRequired[Literal["NO", "OPTIONAL", "REQUIRED"] | None]


class PaymentLinkChanges(TypedDict):
    title: NotRequired[str]
    description: NotRequired[str | None]
    amount: NotRequired[float | Decimal | None]
    openAmount: NotRequired[PaymentLinkChangesOpenAmount | None]
    items: NotRequired[list[PaymentLinkChangesItem] | None]
    currency: NotRequired[Literal["ETB", "USD"] | None]
    methods: NotRequired[list[Literal[
        "TELE_BIRR",
        "TELE_BIRR_USSD",
        "CBE",
        "ETS_SWITCH",
        "M_PESA",
        "E_BIRR",
    ]] | None]
    askFor: NotRequired[PaymentLinkChangesAskFor | None]
    commissionPaidByCustomer: NotRequired[bool | None]
    splitPayment: NotRequired[list[SplitPayment] | None]
    validUntil: NotRequired[str | None]
    paymentsMax: NotRequired[int | None]
    paidText: NotRequired[str | None]
    returnUrl: NotRequired[str | None]
    callbackUrl: NotRequired[str | None]
    metadata: NotRequired[dict[str, str] | None]
    isActive: NotRequired[bool | None]


class CheckoutBeneficiary(TypedDict):
    bank: str
    creditAccount: str
    splitType: Literal["PERCENTAGE", "NUMBER"]
    amount: float
    shareAmount: int


class ProductItem(TypedDict):
    name: str
    description: str | None
    image: str | None
    quantity: int
    type: Literal["SERVICE", "DIGITAL_PRODUCT", "PHYSICAL_PRODUCT"]
    price: int


class Transaction(TypedDict):
    """The paid attempt, else the latest"""

    id: str
    transactionId: str
    paymentType: str
    transactionStatus: Literal["PROCESSING", "SUCCESS", "FAILED", "EXPIRED"]
    createdAt: str
    updatedAt: str
    failureReason: str | None
    receipt: str | None
    providerReference: str | None


class MerchantCustomer(TypedDict):
    name: str | None
    email: str | None
    phone: str | None
    isPhoneUpdatable: bool | None


class Anomaly(TypedDict):
    type: str
    transactionId: str | None
    refundUniqueId: str | None
    excessMinor: int | None
    reviewedAt: str | None
    createdAt: str
    receipt: str | None


class Payment(TypedDict):
    """A payment as it is now. Amounts are in minor units."""

    paymentIntentId: int
    uuid: str
    uniqueId: str
    paymentLinkUniqueId: str | None
    test: bool
    callbackUrl: str | None
    returnUrl: str | None
    commissionPaidByCustomer: bool
    creationDate: str
    lastUpdateDate: str
    expireDate: str
    totalAmount: int
    commission: int
    chargedAmount: int
    currency: Literal["ETB", "USD"]
    checkoutBeneficiaries: list[CheckoutBeneficiary]
    productItems: list[ProductItem]
    transaction: Transaction | None
    merchantCustomer: MerchantCustomer | None
    paymentMethodTypes: list[str]
    status: Literal["OPEN", "PROCESSING", "SUCCESS", "FAILED", "EXPIRED", "CANCELED"]
    previousStatus: Literal["OPEN", "PROCESSING", "SUCCESS", "FAILED", "EXPIRED", "CANCELED"] | None
    sequence: int
    late: bool
    reason: str | None
    metadata: dict[str, str]
    description: str | None
    debitAccount: str | None
    phoneNumber: str | None
    anomalies: list[Anomaly]
    refundedAmount: int
    refunds: list[Refund]
    netShareAmounts: list[int]
    expiryHeldUntil: str | None
    paidAt: str | None
    merchantId: str
    environment: Literal["sandbox", "production"]
    checkoutUrl: str | None
    receiptUrl: str | None


class Refund(TypedDict):
    """A refund of a payment. Amounts are in minor units."""

    refundUniqueId: str
    paymentIntentUniqueId: str
    transactionId: str | None
    status: Literal["PENDING", "PROCESSING", "REQUIRES_ACTION", "SUCCESS", "FAILED", "CANCELED"]
    amountMinor: int
    commissionReturnedMinor: int
    returnedMinor: int
    currency: Literal["ETB", "USD"]
    reason: str | None
    failureReason: str | None
    actionReason: str | None
    providerReference: str | None
    late: bool
    createdAt: str
    updatedAt: str


class RefundSummary(TypedDict):
    """A refund in a list. It can lag a few seconds behind the refund itself."""

    refundUniqueId: str
    paymentIntentUniqueId: str
    transactionId: str
    status: Literal["PENDING", "PROCESSING", "REQUIRES_ACTION", "SUCCESS", "FAILED", "CANCELED"]
    amountMinor: int
    commissionReturnedMinor: int
    returnedMinor: int
    currency: Literal["ETB", "USD"]
    failureReason: str | None
    actionReason: str | None
    providerReference: str | None
    late: bool
    createdAt: str
    updatedAt: str


class PaymentSummary(TypedDict):
    """A payment in a list. It can lag a few seconds behind the payment itself."""

    paymentIntentId: int
    uuid: str
    uniqueId: str
    test: bool
    status: Literal["OPEN", "PROCESSING", "SUCCESS", "FAILED", "EXPIRED", "CANCELED"]
    totalAmount: int
    commission: int
    chargedAmount: int
    refundedAmount: int
    currency: Literal["ETB", "USD"]
    transactionId: str | None
    paymentType: str | None
    receipt: str | None
    providerReference: str | None
    reason: str | None
    late: bool
    createdAt: str
    updatedAt: str
    endedAt: str | None
    metadata: dict[str, str]
    paidAt: str | None


class Delivery(TypedDict):
    endpointId: str | None
    url: str | None
    state: str
    tries: int
    lastTryAt: str | None
    nextTryAt: str | None
    lastError: str | None


class Event(TypedDict):
    """An event and where it was sent. In lists it can lag a few seconds."""

    id: str
    type: str
    paymentIntentUniqueId: str
    sequence: int
    test: bool
    createdAt: str
    deliveries: list[Delivery]


class EventWithPayload(TypedDict):
    """An event as it is now."""

    id: str
    type: str
    paymentIntentUniqueId: str
    sequence: int
    test: bool
    createdAt: str
    deliveries: list[Delivery]
    payload: str | None


class ResendResult(TypedDict):
    resent: int
    unreachable: int
    hasMore: bool
    nextCursor: str | None


class EventBody(TypedDict):
    """The payment as the event found it: the JSON text in `body` of a webhook."""

    paymentIntentId: int
    uuid: str
    uniqueId: str
    paymentLinkUniqueId: str | None
    test: bool
    callbackUrl: str | None
    returnUrl: str | None
    commissionPaidByCustomer: bool
    creationDate: str
    lastUpdateDate: str
    expireDate: str
    totalAmount: int
    commission: int
    chargedAmount: int
    currency: Literal["ETB", "USD"]
    checkoutBeneficiaries: list[CheckoutBeneficiary]
    productItems: list[ProductItem]
    transaction: Transaction | None
    merchantCustomer: MerchantCustomer | None
    paymentMethodTypes: list[str]
    status: Literal["OPEN", "PROCESSING", "SUCCESS", "FAILED", "EXPIRED", "CANCELED"]
    previousStatus: Literal["OPEN", "PROCESSING", "SUCCESS", "FAILED", "EXPIRED", "CANCELED"] | None
    sequence: int
    late: bool
    reason: str | None
    metadata: dict[str, str]
    event: str
    refundedAmount: NotRequired[int]
    refund: NotRequired[Refund]
    paidAt: str | None
    merchantId: str
    environment: Literal["sandbox", "production"]
    receiptUrl: str | None


class Telebirr(TypedDict):
    """Only with `telebirrForm`: what opens the payment in the app of telebirr; null when the charge was refused, or without a clear answer"""

    appId: str | None
    shortCode: str | None
    receiveCode: str | None
    rawRequest: str | None


class ExpressResult(TypedDict):
    paymentUrl: str | None
    transactionId: str
    status: Literal["SUCCESS", "FAILURE"]
    message: str
    failureReason: str | None
    telebirr: NotRequired[Telebirr | None]


class Bank(TypedDict):
    code: str
    name: str
    supportsWithdrawal: bool


class WebhookEndpoint(TypedDict):
    id: str
    kind: Literal["URL", "TELEGRAM", "EMAIL"]
    url: str
    eventTypes: list[str]
    description: str
    enabled: bool
    paused: bool
    signatureHeader: str | None
    payloadVersion: str
    createdAt: str


class WebhookEndpointWithSecret(TypedDict):
    id: str
    kind: Literal["URL", "TELEGRAM", "EMAIL"]
    url: str
    eventTypes: list[str]
    description: str
    enabled: bool
    paused: bool
    signatureHeader: str | None
    payloadVersion: str
    createdAt: str
    secret: str


class PaymentLinkOpenAmount(TypedDict):
    min: float
    max: float | None
    suggestions: list[float]


class PaymentLinkItem(TypedDict):
    name: str
    description: str | None
    type: Literal["SERVICE", "DIGITAL_PRODUCT", "PHYSICAL_PRODUCT"]
    quantityMax: int
    price: float


class PaymentLinkAskFor(TypedDict):
    name: Literal["NO", "OPTIONAL", "REQUIRED"]
    phone: Literal["NO", "OPTIONAL", "REQUIRED"]
    email: Literal["NO", "OPTIONAL", "REQUIRED"]
    note: Literal["NO", "OPTIONAL", "REQUIRED"]


class PaymentLinkSplitPayment(TypedDict):
    bank: str
    creditAccount: str
    splitType: Literal["PERCENTAGE", "NUMBER"]
    amount: float


class PaymentLink(TypedDict):
    paymentLinkUniqueId: str
    url: str
    title: str
    description: str | None
    amount: float | None
    openAmount: PaymentLinkOpenAmount | None
    items: list[PaymentLinkItem]
    currency: Literal["ETB", "USD"]
    methods: list[str]
    askFor: PaymentLinkAskFor
    commissionPaidByCustomer: bool
    splitPayment: list[PaymentLinkSplitPayment]
    validUntil: str | None
    paymentsMax: int | None
    paidText: str | None
    returnUrl: str | None
    callbackUrl: str | None
    metadata: dict[str, str]
    isActive: bool
    paymentsCount: int | None
    createdAt: str
    updatedAt: str


class WebhookKey(TypedDict):
    keyId: str
    algorithm: Literal["SHA256withRSA"]
    publicKey: str
    retiredAt: str | None
    publishedUntil: str | None


class ExpressPayment(TypedDict):
    paymentUrl: str | None
    transactionId: str
    status: Literal["SUCCESS", "FAILURE"]
    message: str
    failureReason: str | None
    telebirr: NotRequired[Telebirr | None]
    isReplayed: bool
    warnings: list[str]


class CreatedRefund(TypedDict):
    refundUniqueId: str
    paymentIntentUniqueId: str
    transactionId: str | None
    status: Literal["PENDING", "PROCESSING", "REQUIRES_ACTION", "SUCCESS", "FAILED", "CANCELED"]
    amountMinor: int
    commissionReturnedMinor: int
    returnedMinor: int
    currency: Literal["ETB", "USD"]
    reason: str | None
    failureReason: str | None
    actionReason: str | None
    providerReference: str | None
    late: bool
    createdAt: str
    updatedAt: str
    isReplayed: bool
    warnings: list[str]


class CreatedWebhookEndpoint(TypedDict):
    id: str
    kind: Literal["URL", "TELEGRAM", "EMAIL"]
    url: str
    eventTypes: list[str]
    description: str
    enabled: bool
    paused: bool
    signatureHeader: str | None
    payloadVersion: str
    createdAt: str
    secret: str
    isReplayed: bool
    warnings: list[str]


class CreatedPaymentLink(TypedDict):
    paymentLinkUniqueId: str
    url: str
    title: str
    description: str | None
    amount: float | None
    openAmount: PaymentLinkOpenAmount | None
    items: list[PaymentLinkItem]
    currency: Literal["ETB", "USD"]
    methods: list[str]
    askFor: PaymentLinkAskFor
    commissionPaidByCustomer: bool
    splitPayment: list[PaymentLinkSplitPayment]
    validUntil: str | None
    paymentsMax: int | None
    paidText: str | None
    returnUrl: str | None
    callbackUrl: str | None
    metadata: dict[str, str]
    isActive: bool
    paymentsCount: int | None
    createdAt: str
    updatedAt: str
    isReplayed: bool
    warnings: list[str]


class PaymentPage(TypedDict):
    data: list[PaymentSummary]
    hasMore: bool
    nextCursor: str | None


class RefundPage(TypedDict):
    data: list[RefundSummary]
    hasMore: bool
    nextCursor: str | None


class EventPage(TypedDict):
    data: list[Event]
    hasMore: bool
    nextCursor: str | None


class PaymentLinkPage(TypedDict):
    data: list[PaymentLink]
    hasMore: bool
    nextCursor: str | None


class PaymentFilter(TypedDict, total=False):
    status: Literal["OPEN", "PROCESSING", "SUCCESS", "FAILED", "EXPIRED", "CANCELED"] | None
    method: Literal["TELE_BIRR", "TELE_BIRR_USSD", "CBE", "ETS_SWITCH", "M_PESA", "E_BIRR"] | None
    ended_from: datetime | None
    ended_to: datetime | None
    paid_from: datetime | None
    paid_to: datetime | None
    customer_phone: str | None
    metadata: dict[str, str] | None
    payment_link_unique_id: str | None
    created_from: datetime | None
    created_to: datetime | None
    limit: int | None
    cursor: str | None


class RefundFilter(TypedDict, total=False):
    status: Literal[
        "PENDING",
        "PROCESSING",
        "REQUIRES_ACTION",
        "SUCCESS",
        "FAILED",
        "CANCELED",
    ] | None
    payment_intent_unique_id: str | None
    created_from: datetime | None
    created_to: datetime | None
    limit: int | None
    cursor: str | None


class EventFilter(TypedDict, total=False):
    payment_intent_unique_id: str | None
    type: Literal[
        "PAYMENT_SUCCESS",
        "PAYMENT_FAILED",
        "PAYMENT_EXPIRED",
        "REFUND_REQUIRES_ACTION",
        "REFUND_SUCCESS",
        "REFUND_FAILED",
    ] | None
    delivery_state: Literal[
        "delivered",
        "queued",
        "waiting",
        "dead",
        "undeliverable",
        "paused",
        "skipped",
        "superseded",
    ] | None
    created_from: datetime | None
    created_to: datetime | None
    limit: int | None
    cursor: str | None


class PaymentLinkFilter(TypedDict, total=False):
    is_active: bool | None
    created_from: datetime | None
    created_to: datetime | None
    limit: int | None
    cursor: str | None


__all__ += [
    "Item",
    "SplitPayment",
    "HostedPaymentRequestCustomerInfo",
    "HostedPaymentRequest",
    "ExpressPaymentRequestCustomerInfo",
    "TestMode",
    "ExpressPaymentRequest",
    "RefundRequest",
    "NewWebhookEndpoint",
    "WebhookEndpointChanges",
    "NewPaymentLinkOpenAmount",
    "NewPaymentLinkItem",
    "NewPaymentLinkAskFor",
    "NewPaymentLink",
    "PaymentLinkChangesOpenAmount",
    "PaymentLinkChangesItem",
    "PaymentLinkChangesAskFor",
    "PaymentLinkChanges",
    "CheckoutBeneficiary",
    "ProductItem",
    "Transaction",
    "MerchantCustomer",
    "Anomaly",
    "Payment",
    "Refund",
    "RefundSummary",
    "PaymentSummary",
    "Delivery",
    "Event",
    "EventWithPayload",
    "ResendResult",
    "EventBody",
    "Telebirr",
    "ExpressResult",
    "Bank",
    "WebhookEndpoint",
    "WebhookEndpointWithSecret",
    "PaymentLinkOpenAmount",
    "PaymentLinkItem",
    "PaymentLinkAskFor",
    "PaymentLinkSplitPayment",
    "PaymentLink",
    "WebhookKey",
    "ExpressPayment",
    "CreatedRefund",
    "CreatedWebhookEndpoint",
    "CreatedPaymentLink",
    "PaymentPage",
    "RefundPage",
    "EventPage",
    "PaymentLinkPage",
    "PaymentFilter",
    "RefundFilter",
    "EventFilter",
    "PaymentLinkFilter",
]
