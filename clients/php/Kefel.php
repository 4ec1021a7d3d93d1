<?php

declare(strict_types=1);

/**
 * A client of Kefel for PHP 8.1 and newer with ext-curl. It has no dependencies: copy this file.
 * README.md shows the first payment and a webhook. `Shapes`, at the end, has the keys of the arrays
 * of requests and answers for PHPStan and Psalm; the API reference explains them.
 */

namespace Kefel;

/** Calls the gateway in the environment of its key. */
final class Client
{
    /** Of this client, and in the user agent that it sends. */
    public const VERSION = '0.1.0';

    public readonly Payments $payments;
    public readonly Refunds $refunds;
    public readonly PaymentLinks $paymentLinks;
    public readonly Events $events;
    public readonly WebhookEndpoints $webhookEndpoints;
    public readonly WebhookKeys $webhookKeys;
    public readonly Banks $banks;
    private readonly Transport $transport;

    /**
     * @param string $apiKey `kfl_test_…` or `kfl_live_…`; decides the environment
     * @param string $baseUrl the gateway's address: `https://pay.example.com`; a live key goes by
     *     https only
     * @param float $timeoutSeconds how long one try may take; express payments wait for the provider
     * @param int $retriesMax how often the client repeats a call after a failure that a repeat may cure
     * @param float $deadlineSeconds how long a call may take with all its tries
     * @param (callable(string): mixed)|null $onWarning takes what the gateway says about a request
     *     that it accepted; `error_log` by default
     * @throws \InvalidArgumentException for a key or an address that cannot work
     */
    public function __construct(
        #[\SensitiveParameter] string $apiKey,
        string $baseUrl,
        float $timeoutSeconds = 60,
        int $retriesMax = 3,
        float $deadlineSeconds = 120,
        ?callable $onWarning = null,
    ) {
        $onWarning ??= static fn (string $warning) => error_log("kefel: $warning");
        $this->connect(new Transport(
            Arguments::apiKey($apiKey),
            Arguments::baseUrl($baseUrl, $apiKey),
            Arguments::seconds('timeoutSeconds', $timeoutSeconds),
            $retriesMax,
            Arguments::seconds('deadlineSeconds', $deadlineSeconds),
            \Closure::fromCallable($onWarning),
        ));
    }

    /** This client with other limits: `$kefel->withOptions(deadlineSeconds: 10)->payments->get($id)`. */
    public function withOptions(?float $timeoutSeconds = null, ?float $deadlineSeconds = null): self
    {
        $client = (new \ReflectionClass(self::class))->newInstanceWithoutConstructor();
        $client->connect($this->transport->with(
            $timeoutSeconds === null ? null : Arguments::seconds('timeoutSeconds', $timeoutSeconds),
            $deadlineSeconds === null ? null : Arguments::seconds('deadlineSeconds', $deadlineSeconds),
        ));
        return $client;
    }

    private function connect(Transport $transport): void
    {
        $this->transport = $transport;
        $this->payments = new Payments($transport);
        $this->refunds = new Refunds($transport);
        $this->paymentLinks = new PaymentLinks($transport);
        $this->events = new Events($transport);
        $this->webhookEndpoints = new WebhookEndpoints($transport);
        $this->webhookKeys = new WebhookKeys($transport);
        $this->banks = new Banks($transport);
    }
}

/**
 * Creating, reading and canceling payments.
 *
 * @phpstan-import-type HostedPaymentRequest from Shapes
 * @phpstan-import-type ExpressPaymentRequest from Shapes
 * @phpstan-import-type ExpressPayment from Shapes
 * @phpstan-import-type Payment from Shapes
 * @phpstan-import-type PaymentFilter from Shapes
 * @phpstan-import-type PaymentPage from Shapes
 * @phpstan-import-type PaymentSummary from Shapes
 */
final class Payments
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Creates a payment with a page. Redirect the customer to `checkoutUrl`.
     *
     * @param HostedPaymentRequest $request
     * @param string|null $idempotencyKey a text of your own, stored with the order: a later call with
     *     it, also of another process, creates no second payment. Random by default.
     * @throws \InvalidArgumentException for an unknown key of the request; nothing is sent
     * @throws KefelException
     */
    public function create(array $request, ?string $idempotencyKey = null): CreatedPayment
    {
        Arguments::expectKeys('HostedPaymentRequest', $request);
        $key = Arguments::idempotencyKey($idempotencyKey);
        $answer = $this->transport->send('POST', '/intent', $request, $key, Content::Text);
        return new CreatedPayment($answer->content, $answer->isReplayed, $answer->warnings);
    }

    /**
     * Charges one method directly. The status `SUCCESS` means accepted, not paid: wait for the
     * webhook. Charge again only after `FAILURE`.
     *
     * @param ExpressPaymentRequest $request
     * @param string|null $idempotencyKey as for `create`
     * @return ExpressPayment
     * @throws \InvalidArgumentException for an unknown key of the request; nothing is sent
     * @throws KefelException
     */
    public function express(array $request, ?string $idempotencyKey = null): array
    {
        Arguments::expectKeys('ExpressPaymentRequest', $request);
        $key = Arguments::idempotencyKey($idempotencyKey);
        return $this->transport->send('POST', '/express/pay', $request, $key)->withDetails();
    }

    /**
     * The payment with your id, its uuid or its integer id. Throws `payment_not_found`. While it is
     * open, `checkoutUrl` is the customer's page.
     *
     * @return Payment
     * @throws KefelException
     */
    public function get(string|int $id): array
    {
        return $this->transport->content('GET', '/intents/' . Arguments::segment($id));
    }

    /**
     * A page of payments, newest first. The list lags by seconds.
     *
     * @param PaymentFilter $filter
     * @return PaymentPage
     * @throws KefelException
     */
    public function list(array $filter = []): array
    {
        Arguments::expectKeys('PaymentFilter', $filter);
        return $this->transport->content('GET', '/intents' . Transport::query($filter));
    }

    /**
     * The payments of all pages, newest first. It reads a page when the loop needs it.
     *
     * @param PaymentFilter $filter
     * @return \Generator<int, PaymentSummary>
     * @throws KefelException
     */
    public function all(array $filter = []): \Generator
    {
        Arguments::expectKeys('PaymentFilter', $filter);
        return Transport::rows($this->list(...), $filter);
    }

    /**
     * Cancels while no attempt is under way; canceling twice changes nothing.
     *
     * @return Payment
     * @throws KefelException
     */
    public function cancel(string|int $id): array
    {
        return $this->transport->content('POST', '/intents/' . Arguments::segment($id) . '/cancel');
    }
}

/**
 * Returning money to customers.
 *
 * @phpstan-import-type CreatedRefund from Shapes
 * @phpstan-import-type Refund from Shapes
 * @phpstan-import-type RefundFilter from Shapes
 * @phpstan-import-type RefundPage from Shapes
 * @phpstan-import-type RefundRequest from Shapes
 * @phpstan-import-type RefundSummary from Shapes
 */
final class Refunds
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Returns a payment, or the part `amountMinor` of it (5000 is 50.00). The outcome comes by
     * webhook. Refund again only after `FAILED` or `CANCELED`.
     *
     * @param RefundRequest $request
     * @param string|null $idempotencyKey a text of your own, stored with the refund: a later call
     *     with it, also of another process, makes no second refund. Random by default.
     * @return CreatedRefund
     * @throws \InvalidArgumentException for an unknown key, and for an `amountMinor` that is there but
     *     no int, such as null; nothing is sent
     * @throws KefelException
     */
    public function create(array $request, ?string $idempotencyKey = null): array
    {
        Arguments::expectKeys('RefundRequest', $request);
        if (array_key_exists('amountMinor', $request) && !is_int($request['amountMinor'])) {
            throw new \InvalidArgumentException(sprintf(
                'amountMinor must be an int of minor units, such as 5000 for 50.00, not %s. '
                    . 'Leave it out to refund all that is left.',
                var_export($request['amountMinor'], true),
            ));
        }
        $key = Arguments::idempotencyKey($idempotencyKey);
        return $this->transport->send('POST', '/refunds', $request, $key)->withDetails();
    }

    /**
     * The refund with your id. Throws `refund_not_found`.
     *
     * @return Refund
     * @throws KefelException
     */
    public function get(string $id): array
    {
        return $this->transport->content('GET', '/refunds/' . Arguments::segment($id));
    }

    /**
     * A page of refunds, newest first. The list lags by seconds.
     *
     * @param RefundFilter $filter
     * @return RefundPage
     * @throws KefelException
     */
    public function list(array $filter = []): array
    {
        Arguments::expectKeys('RefundFilter', $filter);
        return $this->transport->content('GET', '/refunds' . Transport::query($filter));
    }

    /**
     * The refunds of all pages, newest first. It reads a page when the loop needs it.
     *
     * @param RefundFilter $filter
     * @return \Generator<int, RefundSummary>
     * @throws KefelException
     */
    public function all(array $filter = []): \Generator
    {
        Arguments::expectKeys('RefundFilter', $filter);
        return Transport::rows($this->list(...), $filter);
    }

    /**
     * Cancels while the refund is `PENDING`; canceling twice changes nothing.
     *
     * @return Refund
     * @throws KefelException
     */
    public function cancel(string $id): array
    {
        return $this->transport->content('POST', '/refunds/' . Arguments::segment($id) . '/cancel');
    }
}

/**
 * Links that any number of customers pay by. Their amounts are in major units (150.5), also in answers.
 *
 * @phpstan-import-type CreatedPaymentLink from Shapes
 * @phpstan-import-type NewPaymentLink from Shapes
 * @phpstan-import-type PaymentLink from Shapes
 * @phpstan-import-type PaymentLinkChanges from Shapes
 * @phpstan-import-type PaymentLinkFilter from Shapes
 * @phpstan-import-type PaymentLinkPage from Shapes
 */
final class PaymentLinks
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Creates a link. Share its `url`, the page at which customers pay.
     *
     * @param NewPaymentLink $request
     * @param string|null $idempotencyKey a later call with it creates no second link; random by default
     * @return CreatedPaymentLink
     * @throws \InvalidArgumentException for an unknown key of the request; nothing is sent
     * @throws KefelException
     */
    public function create(array $request, ?string $idempotencyKey = null): array
    {
        Arguments::expectKeys('NewPaymentLink', $request);
        $key = Arguments::idempotencyKey($idempotencyKey);
        return $this->transport->send('POST', '/links', $request, $key)->withDetails();
    }

    /**
     * The link with your id. Throws `payment_link_not_found`.
     *
     * @return PaymentLink
     * @throws KefelException
     */
    public function get(string $id): array
    {
        return $this->transport->content('GET', '/links/' . Arguments::segment($id));
    }

    /**
     * A page of links, newest first.
     *
     * @param PaymentLinkFilter $filter
     * @return PaymentLinkPage
     * @throws KefelException
     */
    public function list(array $filter = []): array
    {
        Arguments::expectKeys('PaymentLinkFilter', $filter);
        return $this->transport->content('GET', '/links' . Transport::query($filter));
    }

    /**
     * The links of all pages, newest first. It reads a page when the loop needs it.
     *
     * @param PaymentLinkFilter $filter
     * @return \Generator<int, PaymentLink>
     * @throws KefelException
     */
    public function all(array $filter = []): \Generator
    {
        Arguments::expectKeys('PaymentLinkFilter', $filter);
        return Transport::rows($this->list(...), $filter);
    }

    /**
     * Changes the keys that are there. `isActive`: true activates the link again.
     *
     * @param PaymentLinkChanges $change
     * @return PaymentLink
     * @throws \InvalidArgumentException for an unknown key of the change; nothing is sent
     * @throws KefelException
     */
    public function update(string $id, array $change): array
    {
        Arguments::expectKeys('PaymentLinkChanges', $change);
        return $this->transport->content('PATCH', '/links/' . Arguments::segment($id), $change);
    }

    /**
     * Its page takes no more payments; deactivating twice changes nothing.
     *
     * @return PaymentLink
     * @throws KefelException
     */
    public function deactivate(string $id): array
    {
        return $this->transport->content('POST', '/links/' . Arguments::segment($id) . '/deactivate');
    }
}

/**
 * What webhooks told you, or should have.
 *
 * @phpstan-import-type Event from Shapes
 * @phpstan-import-type EventFilter from Shapes
 * @phpstan-import-type EventPage from Shapes
 * @phpstan-import-type EventWithPayload from Shapes
 * @phpstan-import-type ResendResult from Shapes
 */
final class Events
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * A page of events, newest first. The list lags by seconds.
     *
     * @param EventFilter $filter
     * @return EventPage
     * @throws KefelException
     */
    public function list(array $filter = []): array
    {
        Arguments::expectKeys('EventFilter', $filter);
        return $this->transport->content('GET', '/events' . Transport::query($filter));
    }

    /**
     * The events of all pages, newest first. It reads a page when the loop needs it.
     *
     * @param EventFilter $filter
     * @return \Generator<int, Event>
     * @throws KefelException
     */
    public function all(array $filter = []): \Generator
    {
        Arguments::expectKeys('EventFilter', $filter);
        return Transport::rows($this->list(...), $filter);
    }

    /**
     * The event with `payload`, the body that is sent.
     *
     * @return EventWithPayload
     * @throws KefelException
     */
    public function get(string $id): array
    {
        return $this->transport->content('GET', '/events/' . Arguments::segment($id));
    }

    /**
     * Sends the event again; one that is on its way stays as it is.
     *
     * @return EventWithPayload
     * @throws KefelException
     */
    public function resend(string $id): array
    {
        return $this->transport->content('POST', '/events/' . Arguments::segment($id) . '/resend');
    }

    /**
     * Sends again what no endpoint has accepted since a time, oldest first. Repeat the call with
     * `nextCursor` while `hasMore` is true.
     *
     * @return ResendResult
     * @throws KefelException
     */
    public function resendUndelivered(\DateTimeInterface $since, ?string $cursor = null): array
    {
        $body = ['since' => Transport::iso($since), 'cursor' => $cursor];
        return $this->transport->content('POST', '/events/resend', $body);
    }
}

/**
 * Where the gateway sends webhooks.
 *
 * @phpstan-import-type NewWebhookEndpoint from Shapes
 * @phpstan-import-type WebhookEndpoint from Shapes
 * @phpstan-import-type WebhookEndpointChanges from Shapes
 * @phpstan-import-type WebhookEndpointWithSecret from Shapes
 * @phpstan-import-type CreatedWebhookEndpoint from Shapes
 */
final class WebhookEndpoints
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Adds an endpoint. Store its `secret`: no other call shows it.
     *
     * @param NewWebhookEndpoint $request
     * @param string|null $idempotencyKey a later call with it adds no second endpoint; random by default
     * @return CreatedWebhookEndpoint
     * @throws \InvalidArgumentException for an unknown key of the request; nothing is sent
     * @throws KefelException
     */
    public function create(array $request, ?string $idempotencyKey = null): array
    {
        Arguments::expectKeys('NewWebhookEndpoint', $request);
        $key = Arguments::idempotencyKey($idempotencyKey);
        return $this->transport->send('POST', '/webhook-endpoints', $request, $key)->withDetails();
    }

    /**
     * All endpoints, oldest first.
     *
     * @return list<WebhookEndpoint>
     * @throws KefelException
     */
    public function list(): array
    {
        return $this->transport->listed('/webhook-endpoints');
    }

    /**
     * Throws `webhook_endpoint_not_found`.
     *
     * @return WebhookEndpoint
     * @throws KefelException
     */
    public function get(string $id): array
    {
        return $this->transport->content('GET', '/webhook-endpoints/' . Arguments::segment($id));
    }

    /**
     * Changes the keys that are there. `paused`: false resumes an endpoint.
     *
     * @param WebhookEndpointChanges $change
     * @return WebhookEndpoint
     * @throws \InvalidArgumentException for an unknown key of the change; nothing is sent
     * @throws KefelException
     */
    public function update(string $id, array $change): array
    {
        Arguments::expectKeys('WebhookEndpointChanges', $change);
        $path = '/webhook-endpoints/' . Arguments::segment($id);
        return $this->transport->content('PATCH', $path, $change);
    }

    /**
     * @return WebhookEndpoint the endpoint as it was
     * @throws KefelException
     */
    public function delete(string $id): array
    {
        return $this->transport->content('DELETE', '/webhook-endpoints/' . Arguments::segment($id));
    }

    /**
     * Gives the endpoint a new secret. The old one signs too for `overlapHours`, or as the API
     * reference says. The client does not repeat this call: after a ConnectionException, call it again.
     *
     * @return WebhookEndpointWithSecret
     * @throws KefelException
     */
    public function rotateSecret(string $id, ?int $overlapHours = null): array
    {
        $path = '/webhook-endpoints/' . Arguments::segment($id) . '/secret';
        return $this->transport->once($path, ['overlapHours' => $overlapHours]);
    }
}

/**
 * The public keys of the signature in the body of webhooks.
 *
 * @phpstan-import-type WebhookKey from Shapes
 */
final class WebhookKeys
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Newest first, then retired keys.
     *
     * @return list<WebhookKey>
     * @throws KefelException
     */
    public function list(): array
    {
        return $this->transport->listed('/webhook-keys');
    }
}

/**
 * The banks of split payments.
 *
 * @phpstan-import-type Bank from Shapes
 */
final class Banks
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * @return list<Bank>
     * @throws KefelException
     */
    public function list(): array
    {
        return $this->transport->listed('/banks');
    }
}

final class CreatedPayment
{
    /** @param list<string> $warnings */
    public function __construct(
        public readonly string $checkoutUrl,
        /** Whether an earlier call with this idempotency key created it. */
        public readonly bool $isReplayed,
        /** What the gateway says about a request that it accepted, such as a misspelled key. */
        public readonly array $warnings,
    ) {
    }
}

/** What the client throws, except for arguments that make no request. */
abstract class KefelException extends \RuntimeException
{
    public function __construct(
        string $message,
        /** Give it to support; null without an answer of the gateway. */
        public readonly ?string $requestId = null,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, 0, $previous);
    }
}

/**
 * The gateway refused the request. After a status of 429, or of 500 and above, and after
 * `idempotency_key_in_use` an earlier try may still have made the payment or the refund: proceed as
 * after ConnectionException.
 *
 * @phpstan-import-type Payment from Shapes
 */
final class ApiException extends KefelException
{
    /** For programs; `unknown` when the answer is not Kefel's, as that of a proxy. */
    public readonly string $errorCode;
    /** The page that says what to do. */
    public readonly ?string $docs;
    /**
     * A message for each field that broke a rule, by its path: `items[0].price`.
     *
     * @var array<string, string>
     */
    public readonly array $validationErrors;
    /**
     * The same as codes: `required`, `too_long`.
     *
     * @var array<string, string>
     */
    public readonly array $validationErrorCodes;
    /**
     * The payment that exists, after `duplicate_payment_id`, for a key that may read it.
     *
     * @var Payment|null
     */
    public readonly ?array $payment;

    /** @param array<array-key, mixed> $body */
    public function __construct(
        public readonly int $status,
        array $body,
        public readonly ?int $retryAfterSeconds,
    ) {
        $text = static fn (string $key) => is_string($body[$key] ?? null) ? $body[$key] : null;
        $texts = static fn (string $key) => array_filter((array) ($body[$key] ?? []), 'is_string');
        parent::__construct($text('message') ?? "HTTP $status", $text('requestId'));
        $this->errorCode = $text('code') ?? 'unknown';
        $this->docs = $text('docs');
        $this->validationErrors = $texts('validationErrors');
        $this->validationErrorCodes = $texts('validationErrorCodes');
        $this->payment = is_array($body['payment'] ?? null) ? $body['payment'] : null;
    }
}

/**
 * No answer of the gateway arrived, in any try. The payment or the refund may exist: read it by its
 * id, or repeat the call with the same idempotency key.
 */
final class ConnectionException extends KefelException
{
}

/** A webhook that does not come from the gateway, or is too old. Answer it with 400. */
final class WebhookVerificationException extends KefelException
{
}

/**
 * A verified webhook. Deduplicate by `id`: an event may arrive more than once. Check `type` first:
 * the payment's status stays `SUCCESS` in events of refunds.
 *
 * @phpstan-import-type EventBody from Shapes
 * @phpstan-import-type Refund from Shapes
 */
final class Webhook
{
    /**
     * @param EventBody $payment
     * @param Refund|null $refund
     */
    private function __construct(
        public readonly string $id,
        /** `PAYMENT_` and `SUCCESS`, `FAILED` or `EXPIRED`; `REFUND_` and `SUCCESS` or `FAILED`. */
        public readonly string $type,
        /** `sandbox` or `production`. */
        public readonly string $environment,
        /** The payment as the event found it; amounts are in minor units. */
        public readonly array $payment,
        /** The refund of an event of a refund, in minor units. */
        public readonly ?array $refund,
    ) {
    }

    /**
     * Checks the Standard Webhooks signature of a request to your endpoint.
     *
     * @param string $rawBody the body as it arrived: `file_get_contents('php://input')`
     * @param array<array-key, mixed> $headers `$_SERVER`, `getallheaders()` or the headers of your
     *     framework
     * @param string $secret `whsec_…`, from the dashboard
     * @param ?string $merchantId yours, from the dashboard; without it or $environment it warns
     * @param ?string $environment `sandbox` or `production`
     * @param float $toleranceSeconds how old a webhook may be: Standard Webhooks recommends five minutes
     * @throws WebhookVerificationException
     */
    public static function verify(
        string $rawBody,
        array $headers,
        #[\SensitiveParameter] string $secret,
        ?string $merchantId = null,
        ?string $environment = null,
        float $toleranceSeconds = 300,
    ): self {
        Arguments::seconds('toleranceSeconds', $toleranceSeconds);
        $headers = array_change_key_case($headers);
        $header = static function (string $name) use ($headers): string {
            $value = $headers[$name] ?? $headers['http_' . strtr($name, '-', '_')] ?? '';
            // Two values would leave open which of them is signed.
            $value = is_array($value) && count($value) === 1 ? reset($value) : $value;
            return is_string($value) ? $value : '';
        };
        $id = $header('webhook-id');
        $timestamp = $header('webhook-timestamp');
        if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > $toleranceSeconds) {
            throw new WebhookVerificationException('The webhook is too old, or its timestamp is missing');
        }
        $expected = self::signature($id, $timestamp, $rawBody, $secret);
        foreach (explode(' ', $header('webhook-signature')) as $signature) {
            if (hash_equals($expected, $signature)) {
                return self::decoded($id, $rawBody)->checked($merchantId, $environment);
            }
        }
        throw new WebhookVerificationException('The signature does not fit');
    }

    /**
     * A webhook as the gateway would send it, so that you can test your endpoint.
     *
     * @param array<string, mixed> $event the payment, with `event`, `environment` and `merchantId`:
     *     the decoded `body` of a webhook
     * @param string $secret `whsec_…` of the endpoint under test
     * @param ?string $id of the event; random by default
     * @param ?\DateTimeInterface $at when it is sent; now by default
     * @return array{rawBody: string, headers: array<string, string>}
     */
    public static function signTest(
        array $event,
        #[\SensitiveParameter] string $secret,
        ?string $id = null,
        ?\DateTimeInterface $at = null,
    ): array {
        $type = $event['event'] ?? 'PAYMENT_SUCCESS';
        $rawBody = Transport::json([
            'webHookEvent' => $type,
            'paymentIntentUniqueId' => $event['uniqueId'] ?? null,
            'environment' => $event['environment'] ?? 'sandbox',
            'payloadVersion' => Shapes::PAYLOAD_VERSION,
            'status' => match ($type) {
                'REFUND_SUCCESS' => 'REFUNDED',
                default => preg_replace('/^PAYMENT_/', '', $type),
            },
            // Only the gateway can make this second signature.
            'signature' => '',
            'body' => Transport::json($event),
        ]);
        $id ??= 'evt_' . bin2hex(random_bytes(16));
        $timestamp = (string) ($at?->getTimestamp() ?? time());
        return [
            'rawBody' => $rawBody,
            'headers' => [
                'content-type' => 'application/json; charset=utf-8',
                'webhook-id' => $id,
                'webhook-timestamp' => $timestamp,
                'webhook-signature' => self::signature($id, $timestamp, $rawBody, $secret),
            ],
        ];
    }

    private static function signature(
        string $id,
        string $timestamp,
        string $rawBody,
        #[\SensitiveParameter] string $secret,
    ): string {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        // Any sender can sign with an empty key.
        if ($key === false || $key === '') {
            throw new WebhookVerificationException('The secret is not whsec_ and base64');
        }
        return 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$rawBody", $key, true));
    }

    private static function decoded(string $id, string $rawBody): self
    {
        try {
            $webhook = json_decode($rawBody, true, flags: JSON_THROW_ON_ERROR);
            $payment = json_decode($webhook['body'] ?? null, true, flags: JSON_THROW_ON_ERROR);
            return new self(
                $id,
                $webhook['webHookEvent'] ?? null,
                $webhook['environment'] ?? null,
                $payment,
                $payment['refund'] ?? null,
            );
        } catch (\JsonException | \TypeError $error) {
            throw new WebhookVerificationException('The body is not a webhook', previous: $error);
        }
    }

    /** Events from before these fields have none: for them, the secret proves whose they are. */
    private function checked(?string $merchantId, ?string $environment): self
    {
        if ($merchantId === null || $environment === null) {
            // Frameworks make an exception of a warning, which would refuse the webhook.
            trigger_error('Pass merchantId and environment to Webhook::verify', E_USER_DEPRECATED);
        }
        $event = $this->payment + ['merchantId' => $merchantId, 'environment' => $this->environment];
        $isOther = $merchantId !== null && $event['merchantId'] !== $merchantId;
        if ($isOther || ($environment !== null && $event['environment'] !== $environment)) {
            throw new WebhookVerificationException('The webhook is of another merchant or environment');
        }
        return $this;
    }
}

/** @internal What the content of an answer is. */
enum Content
{
    case Text;
    case Object;
    case List;

    public function fits(mixed $value): bool
    {
        return match ($this) {
            self::Text => is_string($value),
            self::Object => is_array($value) && !array_is_list($value),
            self::List => is_array($value) && array_is_list($value),
        };
    }
}

/** @internal */
final class Answer
{
    /** @param list<string> $warnings */
    public function __construct(
        public readonly mixed $content,
        public readonly bool $isReplayed,
        public readonly array $warnings,
    ) {
    }

    /** @return array<string, mixed> */
    public function withDetails(): array
    {
        return $this->content + ['isReplayed' => $this->isReplayed, 'warnings' => $this->warnings];
    }
}

/**
 * Rejects what makes no request, before anything is sent.
 *
 * @internal
 */
final class Arguments
{
    /** Keys have no other characters, and no other ones may reach a header. */
    private const API_KEY = '/^kfl_(test|live)_[0-9A-Za-z]+$/D';
    /** What the gateway takes. */
    private const IDEMPOTENCY_KEY = '/^[!-~]([ -~]{0,253}[!-~])?$/D';
    private const ADDRESS = '~^https?://[^\s/?#@\\\\\x00-\x20\x7f]+(/[^\s?#\x00-\x20\x7f]*)?$~iD';
    private const LOOPBACK = '/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/D';

    /** Without the blanks and line ends that a copy or a file adds. */
    public static function apiKey(#[\SensitiveParameter] string $apiKey): string
    {
        $key = trim($apiKey);
        if (preg_match(self::API_KEY, $key) !== 1) {
            throw new \InvalidArgumentException($key === ''
                ? 'apiKey is empty'
                : 'apiKey must be kfl_test_ or kfl_live_ with letters and digits, as the dashboard showed it');
        }
        return $key;
    }

    public static function baseUrl(string $baseUrl, #[\SensitiveParameter] string $apiKey): string
    {
        $url = rtrim(trim($baseUrl), '/');
        $host = strtolower((string) parse_url($url, PHP_URL_HOST));
        if (preg_match(self::ADDRESS, $url) !== 1 || $host === '') {
            throw new \InvalidArgumentException(
                'baseUrl must be the address of the gateway alone, such as https://pay.example.com',
            );
        }
        if (preg_match('~/api/v1/payment(/|$)~iD', $url) === 1) {
            throw new \InvalidArgumentException(
                'baseUrl must be the address of the gateway alone: leave out /api/v1/payment',
            );
        }
        $isPrivate = stripos($url, 'https:') === 0 || preg_match(self::LOOPBACK, $host) === 1;
        if (!$isPrivate && str_starts_with(trim($apiKey), 'kfl_live_')) {
            // Any host on the way could read the key and take money with it.
            throw new \InvalidArgumentException(
                'baseUrl must begin with https://: plain http exposes a live key',
            );
        }
        return $url;
    }

    public static function seconds(string $name, float $seconds): float
    {
        if (!is_finite($seconds) || $seconds <= 0) {
            throw new \InvalidArgumentException("$name must be a number above 0");
        }
        return $seconds;
    }

    /** The caller's, or a random one. */
    public static function idempotencyKey(?string $key): string
    {
        if ($key !== null && preg_match(self::IDEMPOTENCY_KEY, $key) !== 1) {
            throw new \InvalidArgumentException(
                'idempotencyKey must be 1 to 255 printable ASCII characters, without blanks around them',
            );
        }
        return $key ?? bin2hex(random_bytes(16));
    }

    /** The id as a segment of a path. These three would lead to another path. */
    public static function segment(string|int $id): string
    {
        if (in_array($id, ['', '.', '..'], true)) {
            throw new \InvalidArgumentException('The id is empty');
        }
        return rawurlencode((string) $id);
    }

    /**
     * The gateway ignores a key that it does not know, so a misspelled one would get lost.
     *
     * @param array<array-key, mixed> $values
     */
    public static function expectKeys(string $shape, array $values): void
    {
        $known = Shapes::KEYS[$shape];
        foreach (array_keys($values) as $key) {
            if (!in_array($key, $known, true)) {
                $near = array_map(static fn ($other) => self::distance((string) $key, $other), $known);
                $nearest = $known[array_search(min($near), $near, true)];
                throw new \InvalidArgumentException("Unknown key $key. Did you mean $nearest?");
            }
        }
    }

    private static function distance(string $one, string $other): int
    {
        return levenshtein(strtolower(str_replace(['_', '-'], '', $one)), strtolower($other));
    }
}

/**
 * Sends requests, and repeats them when that is safe and may help.
 *
 * @internal
 */
final class Transport
{
    private const FIRST_WAIT_SECONDS = 0.5;
    /** Where the gateway asks for a longer wait, the caller decides. */
    private const WAIT_SECONDS_MAX = 30;
    /** A repeat may succeed, and is safe with the same Idempotency-Key. */
    private const PASSING_STATUSES = [429, 500, 502, 503, 504];
    /** The first try, whose answer got lost, is still in progress. */
    private const PASSING_CODE = 'idempotency_key_in_use';
    /** Where an empty array is an object of JSON, not a list. */
    private const OBJECTS = ['metadata', 'customerInfo', 'testMode', 'openAmount', 'askFor'];

    /** @param \Closure(string): mixed $onWarning */
    public function __construct(
        #[\SensitiveParameter] private readonly string $apiKey,
        private readonly string $baseUrl,
        private readonly float $timeoutSeconds,
        private readonly int $retriesMax,
        private readonly float $deadlineSeconds,
        private readonly \Closure $onWarning,
    ) {
    }

    public function with(?float $timeoutSeconds, ?float $deadlineSeconds): self
    {
        return new self(
            $this->apiKey,
            $this->baseUrl,
            $timeoutSeconds ?? $this->timeoutSeconds,
            $this->retriesMax,
            $deadlineSeconds ?? $this->deadlineSeconds,
            $this->onWarning,
        );
    }

    /** Dumps of a client must not show its key. */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl];
    }

    public static function iso(\DateTimeInterface $time): string
    {
        return $time->format('Y-m-d\TH:i:s.vP');
    }

    /** `?status=SUCCESS&metadata[branch]=Bole`, percent-encoded. */
    public static function query(array $values): string
    {
        $texts = array_map(
            static fn ($value) => match (true) {
                $value instanceof \DateTimeInterface => self::iso($value),
                // PHP's own texts of a boolean are 1 and nothing.
                is_bool($value) => $value ? 'true' : 'false',
                default => $value,
            },
            $values,
        );
        return '?' . http_build_query($texts, '', '&', PHP_QUERY_RFC3986);
    }

    /** The rows of the page that the filter asks for, and of all pages after it. */
    public static function rows(callable $list, array $filter): \Generator
    {
        do {
            $page = $list($filter);
            // `yield from` would begin the keys again with each page, and iterator_to_array lose rows.
            foreach ($page['data'] as $row) {
                yield $row;
            }
            $filter['cursor'] = $page['nextCursor'];
        } while ($page['hasMore']);
    }

    /** The `content` of the answer to a call that needs no idempotency key. */
    public function content(string $method, string $path, ?array $body = null): array
    {
        return $this->send($method, $path, $body)->content;
    }

    /** The `content` of a list without pages. */
    public function listed(string $path): array
    {
        return $this->send('GET', $path, kind: Content::List)->content;
    }

    /** The `content` of the answer to a POST that would do its work a second time. */
    public function once(string $path, array $body): array
    {
        return $this->send('POST', $path, $body, isRepeatable: false)->content;
    }

    public function send(
        string $method,
        string $path,
        ?array $body = null,
        ?string $idempotencyKey = null,
        Content $kind = Content::Object,
        bool $isRepeatable = true,
    ): Answer {
        $json = $body === null ? null : self::json($body);
        $deadline = self::now() + $this->deadlineSeconds;
        for ($retries = 0; ; $retries++) {
            $timeoutSeconds = min($this->timeoutSeconds, $deadline - self::now());
            $answer = $this->try($method, $path, $json, $idempotencyKey, $kind, $timeoutSeconds);
            if ($answer instanceof Answer) {
                array_map($this->onWarning, $answer->warnings);
                return $answer;
            }
            $waitSeconds = self::waitBefore($retries, $answer);
            if (
                $retries >= $this->retriesMax
                || !self::isPassing($answer, $isRepeatable)
                || $waitSeconds > self::WAIT_SECONDS_MAX
                || self::now() + $waitSeconds >= $deadline
            ) {
                throw $answer;
            }
            usleep((int) ($waitSeconds * 1_000_000));
        }
    }

    private function try(
        string $method,
        string $path,
        ?string $json,
        ?string $idempotencyKey,
        Content $kind,
        float $timeoutSeconds,
    ): Answer|KefelException {
        // Firewalls refuse requests of unnamed programs.
        $headers = ["apiKey: $this->apiKey", 'user-agent: kefel-php/' . Client::VERSION];
        if ($json !== null) {
            $headers[] = 'content-type: application/json';
        }
        if ($idempotencyKey !== null) {
            $headers[] = "Idempotency-Key: $idempotencyKey";
        }
        $environment = str_starts_with($this->apiKey, 'kfl_test_') ? '/sandbox' : '';
        $received = [];
        $call = curl_init("$this->baseUrl/api/v1/payment$environment$path");
        curl_setopt_array($call, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            // curl takes 0 for no limit.
            CURLOPT_TIMEOUT_MS => max(1, (int) ($timeoutSeconds * 1_000)),
            // With signals, some builds of curl end a limit below a second at once.
            CURLOPT_NOSIGNAL => true,
            CURLOPT_HEADERFUNCTION => static function ($call, string $line) use (&$received): int {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $received[strtolower($name)] = trim($value);
                return strlen($line);
            },
        ]);
        if ($method === 'POST' || $json !== null) {
            curl_setopt($call, CURLOPT_POSTFIELDS, $json ?? '');
        }
        $text = curl_exec($call);
        if (!is_string($text)) {
            return new ConnectionException("No answer to $method $path: " . curl_error($call));
        }
        $status = curl_getinfo($call, CURLINFO_RESPONSE_CODE);
        $decoded = json_decode($text, true);
        // A proxy in between may answer with a page.
        $body = is_array($decoded) ? $decoded : [];
        if ($status < 200 || $status > 299) {
            $retryAfter = $received['retry-after'] ?? '';
            $retryAfterSeconds = ctype_digit($retryAfter) ? (int) $retryAfter : null;
            return new ApiException($status, $body, $retryAfterSeconds);
        }
        if (!is_int($body['status'] ?? null) || !$kind->fits($body['content'] ?? null)) {
            return new ConnectionException("The answer to $method $path is not the gateway's");
        }
        return new Answer(
            $body['content'],
            ($received['idempotent-replayed'] ?? '') === 'true',
            array_values(array_filter((array) ($body['warnings'] ?? []), 'is_string')),
        );
    }

    /** @param array<string, mixed> $body */
    public static function json(array $body): string
    {
        foreach (self::OBJECTS as $key) {
            if (is_array($body[$key] ?? null)) {
                $body[$key] = (object) $body[$key];
            }
        }
        try {
            return json_encode((object) $body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
        } catch (\JsonException $error) {
            $message = 'JSON cannot write the request: ' . $error->getMessage();
            throw new \InvalidArgumentException($message, previous: $error);
        }
    }

    private static function now(): float
    {
        return hrtime(true) / 1_000_000_000;
    }

    private static function isPassing(KefelException $failure, bool $isRepeatable): bool
    {
        if (!$isRepeatable) {
            // The gateway refused it before it did anything.
            return $failure instanceof ApiException && $failure->status === 429;
        }
        return !$failure instanceof ApiException
            || in_array($failure->status, self::PASSING_STATUSES, true)
            || $failure->errorCode === self::PASSING_CODE;
    }

    /** What the gateway asks for; else half to all of a time that doubles with each retry. */
    private static function waitBefore(int $retries, KefelException $failure): float
    {
        $asked = $failure instanceof ApiException ? $failure->retryAfterSeconds : null;
        $limit = min(self::WAIT_SECONDS_MAX, self::FIRST_WAIT_SECONDS * 2 ** $retries);
        return $asked ?? $limit * (0.5 + random_int(0, 1_000) / 2_000);
    }
}

// Generated by `npm run generate` out of public/openapi.json: do not edit from here on.

/**
 * The arrays of requests, filters and answers. Amounts are in minor units (15050 is 150.50), except in
 * requests of payments and in payment links. Import one with
 * `@phpstan-import-type Payment from \Kefel\Shapes`.
 *
 * @phpstan-type Item array{
 *     name: string,
 *     description?: string|null,
 *     image?: string|null,
 *     type: 'SERVICE'|'DIGITAL_PRODUCT'|'PHYSICAL_PRODUCT',
 *     price: int|float,
 *     quantity: int
 * }
 *
 * @phpstan-type SplitPayment array{
 *     bank: string,
 *     creditAccount: string,
 *     amount: int|float,
 *     splitType: 'PERCENTAGE'|'NUMBER'
 * }
 *
 * @phpstan-type HostedPaymentRequestCustomerInfo array{
 *     name?: string|null,
 *     email?: string|null,
 *     phone?: string|null,
 *     isPhoneUpdatable?: bool|null
 * }
 *
 * @phpstan-type HostedPaymentRequest array{
 *     amount?: int|float|null,
 *     items?: list<Item>|null,
 *     currency: 'ETB'|'USD',
 *     paymentIntentUniqueId: string,
 *     paymentLinkUniqueId?: string|null,
 *     splitPayment?: list<SplitPayment>|null,
 *     expireIn: int,
 *     callbackUrl?: string|null,
 *     refundEvents?: bool|null,
 *     commissionPaidByCustomer: bool,
 *     metadata?: array<string, string>|null,
 *     methods: list<'TELE_BIRR'|'TELE_BIRR_USSD'|'CBE'|'ETS_SWITCH'|'M_PESA'|'E_BIRR'>,
 *     customerInfo?: HostedPaymentRequestCustomerInfo|null,
 *     returnUrl: string
 * }
 *
 * @phpstan-type ExpressPaymentRequestCustomerInfo array{
 *     name?: string|null,
 *     email?: string|null,
 *     phone?: string|null
 * }
 *
 * @phpstan-type TestMode array{
 *     testModeType: 'ACTUAL_TEST'|'SIMULATED_TEST',
 *     simulationStatus?: 'SUCCESS'|'FAILED'|null
 * }
 *
 * @phpstan-type ExpressPaymentRequest array{
 *     amount?: int|float|null,
 *     items?: list<Item>|null,
 *     currency: 'ETB'|'USD',
 *     paymentIntentUniqueId: string,
 *     paymentLinkUniqueId?: string|null,
 *     splitPayment?: list<SplitPayment>|null,
 *     expireIn: int,
 *     callbackUrl?: string|null,
 *     refundEvents?: bool|null,
 *     commissionPaidByCustomer: bool,
 *     metadata?: array<string, string>|null,
 *     method: 'TELE_BIRR'|'TELE_BIRR_USSD'|'CBE'|'ETS_SWITCH'|'M_PESA'|'E_BIRR',
 *     telebirrForm?: 'IN_APP'|'MINI_APP'|null,
 *     returnUrl?: string|null,
 *     phoneNumber?: string|null,
 *     customerInfo?: ExpressPaymentRequestCustomerInfo|null,
 *     testMode?: TestMode,
 *     debitAccount?: string|null,
 *     description?: string|null
 * }
 *
 * @phpstan-type RefundRequest array{
 *     paymentIntentUniqueId: string,
 *     refundUniqueId: string,
 *     amountMinor?: int,
 *     reason?: string|null,
 *     transactionId?: string|null
 * }
 *
 * @phpstan-type NewWebhookEndpoint array{
 *     url: string,
 *     eventTypes?: list<'PAYMENT_SUCCESS'|'PAYMENT_FAILED'|'PAYMENT_EXPIRED'|'REFUND_REQUIRES_ACTION'|'REFUND_SUCCESS'|'REFUND_FAILED'>|null,
 *     description?: string|null,
 *     enabled?: bool|null,
 *     signatureHeader?: string|null
 * }
 *
 * @phpstan-type WebhookEndpointChanges array{
 *     url?: string|null,
 *     eventTypes?: list<'PAYMENT_SUCCESS'|'PAYMENT_FAILED'|'PAYMENT_EXPIRED'|'REFUND_REQUIRES_ACTION'|'REFUND_SUCCESS'|'REFUND_FAILED'>|null,
 *     description?: string|null,
 *     enabled?: bool|null,
 *     signatureHeader?: string|null,
 *     paused?: bool|null
 * }
 *
 * @phpstan-type NewPaymentLinkOpenAmount array{
 *     min?: int|float|null,
 *     max?: int|float|null,
 *     suggestions?: list<int|float>|null
 * }
 *
 * @phpstan-type NewPaymentLinkItem array{
 *     name: string,
 *     description?: string|null,
 *     type: 'SERVICE'|'DIGITAL_PRODUCT'|'PHYSICAL_PRODUCT',
 *     price: int|float,
 *     quantityMax?: int|null
 * }
 *
 * @phpstan-type NewPaymentLinkAskFor array{
 *     name?: 'NO'|'OPTIONAL'|'REQUIRED'|null,
 *     phone?: 'NO'|'OPTIONAL'|'REQUIRED'|null,
 *     email?: 'NO'|'OPTIONAL'|'REQUIRED'|null,
 *     note?: 'NO'|'OPTIONAL'|'REQUIRED'|null
 * }
 *
 * @phpstan-type NewPaymentLink array{
 *     paymentLinkUniqueId?: string|null,
 *     title: string,
 *     description?: string|null,
 *     amount?: int|float|null,
 *     openAmount?: NewPaymentLinkOpenAmount|null,
 *     items?: list<NewPaymentLinkItem>|null,
 *     currency?: 'ETB'|'USD'|null,
 *     methods?: list<'TELE_BIRR'|'TELE_BIRR_USSD'|'CBE'|'ETS_SWITCH'|'M_PESA'|'E_BIRR'>|null,
 *     askFor?: NewPaymentLinkAskFor|null,
 *     commissionPaidByCustomer?: bool|null,
 *     splitPayment?: list<SplitPayment>|null,
 *     validUntil?: string|null,
 *     paymentsMax?: int|null,
 *     paidText?: string|null,
 *     returnUrl?: string|null,
 *     callbackUrl?: string|null,
 *     metadata?: array<string, string>|null,
 *     isActive?: bool|null
 * }
 *
 * @phpstan-type PaymentLinkChangesOpenAmount array{
 *     min?: int|float|null,
 *     max?: int|float|null,
 *     suggestions?: list<int|float>|null
 * }
 *
 * @phpstan-type PaymentLinkChangesItem array{
 *     name: string,
 *     description?: string|null,
 *     type: 'SERVICE'|'DIGITAL_PRODUCT'|'PHYSICAL_PRODUCT',
 *     price: int|float,
 *     quantityMax?: int|null
 * }
 *
 * @phpstan-type PaymentLinkChangesAskFor array{
 *     name?: 'NO'|'OPTIONAL'|'REQUIRED'|null,
 *     phone?: 'NO'|'OPTIONAL'|'REQUIRED'|null,
 *     email?: 'NO'|'OPTIONAL'|'REQUIRED'|null,
 *     note?: 'NO'|'OPTIONAL'|'REQUIRED'|null
 * }
 *
 * @phpstan-type PaymentLinkChanges array{
 *     title?: string,
 *     description?: string|null,
 *     amount?: int|float|null,
 *     openAmount?: PaymentLinkChangesOpenAmount|null,
 *     items?: list<PaymentLinkChangesItem>|null,
 *     currency?: 'ETB'|'USD'|null,
 *     methods?: list<'TELE_BIRR'|'TELE_BIRR_USSD'|'CBE'|'ETS_SWITCH'|'M_PESA'|'E_BIRR'>|null,
 *     askFor?: PaymentLinkChangesAskFor|null,
 *     commissionPaidByCustomer?: bool|null,
 *     splitPayment?: list<SplitPayment>|null,
 *     validUntil?: string|null,
 *     paymentsMax?: int|null,
 *     paidText?: string|null,
 *     returnUrl?: string|null,
 *     callbackUrl?: string|null,
 *     metadata?: array<string, string>|null,
 *     isActive?: bool|null
 * }
 *
 * @phpstan-type CheckoutBeneficiary array{
 *     bank: string,
 *     creditAccount: string,
 *     splitType: 'PERCENTAGE'|'NUMBER',
 *     amount: int|float,
 *     shareAmount: int
 * }
 *
 * @phpstan-type ProductItem array{
 *     name: string,
 *     description: string|null,
 *     image: string|null,
 *     quantity: int,
 *     type: 'SERVICE'|'DIGITAL_PRODUCT'|'PHYSICAL_PRODUCT',
 *     price: int
 * }
 *
 * @phpstan-type Transaction array{
 *     id: string,
 *     transactionId: string,
 *     paymentType: string,
 *     transactionStatus: 'PROCESSING'|'SUCCESS'|'FAILED'|'EXPIRED',
 *     createdAt: string,
 *     updatedAt: string,
 *     failureReason: string|null,
 *     receipt: string|null,
 *     providerReference: string|null
 * }
 *
 * @phpstan-type MerchantCustomer array{
 *     name: string|null,
 *     email: string|null,
 *     phone: string|null,
 *     isPhoneUpdatable: bool|null
 * }
 *
 * @phpstan-type Anomaly array{
 *     type: string,
 *     transactionId: string|null,
 *     refundUniqueId: string|null,
 *     excessMinor: int|null,
 *     reviewedAt: string|null,
 *     createdAt: string,
 *     receipt: string|null
 * }
 *
 * @phpstan-type Payment array{
 *     paymentIntentId: int,
 *     uuid: string,
 *     uniqueId: string,
 *     paymentLinkUniqueId: string|null,
 *     test: bool,
 *     callbackUrl: string|null,
 *     returnUrl: string|null,
 *     commissionPaidByCustomer: bool,
 *     creationDate: string,
 *     lastUpdateDate: string,
 *     expireDate: string,
 *     totalAmount: int,
 *     commission: int,
 *     chargedAmount: int,
 *     currency: 'ETB'|'USD',
 *     checkoutBeneficiaries: list<CheckoutBeneficiary>,
 *     productItems: list<ProductItem>,
 *     transaction: Transaction|null,
 *     merchantCustomer: MerchantCustomer|null,
 *     paymentMethodTypes: list<string>,
 *     status: 'OPEN'|'PROCESSING'|'SUCCESS'|'FAILED'|'EXPIRED'|'CANCELED',
 *     previousStatus: 'OPEN'|'PROCESSING'|'SUCCESS'|'FAILED'|'EXPIRED'|'CANCELED'|null,
 *     sequence: int,
 *     late: bool,
 *     reason: string|null,
 *     metadata: array<string, string>,
 *     description: string|null,
 *     debitAccount: string|null,
 *     phoneNumber: string|null,
 *     anomalies: list<Anomaly>,
 *     refundedAmount: int,
 *     refunds: list<Refund>,
 *     netShareAmounts: list<int>,
 *     expiryHeldUntil: string|null,
 *     paidAt: string|null,
 *     merchantId: string,
 *     environment: 'sandbox'|'production',
 *     checkoutUrl: string|null,
 *     receiptUrl: string|null
 * }
 *
 * @phpstan-type Refund array{
 *     refundUniqueId: string,
 *     paymentIntentUniqueId: string,
 *     transactionId: string|null,
 *     status: 'PENDING'|'PROCESSING'|'REQUIRES_ACTION'|'SUCCESS'|'FAILED'|'CANCELED',
 *     amountMinor: int,
 *     commissionReturnedMinor: int,
 *     returnedMinor: int,
 *     currency: 'ETB'|'USD',
 *     reason: string|null,
 *     failureReason: string|null,
 *     actionReason: string|null,
 *     providerReference: string|null,
 *     late: bool,
 *     createdAt: string,
 *     updatedAt: string
 * }
 *
 * @phpstan-type RefundSummary array{
 *     refundUniqueId: string,
 *     paymentIntentUniqueId: string,
 *     transactionId: string,
 *     status: 'PENDING'|'PROCESSING'|'REQUIRES_ACTION'|'SUCCESS'|'FAILED'|'CANCELED',
 *     amountMinor: int,
 *     commissionReturnedMinor: int,
 *     returnedMinor: int,
 *     currency: 'ETB'|'USD',
 *     failureReason: string|null,
 *     actionReason: string|null,
 *     providerReference: string|null,
 *     late: bool,
 *     createdAt: string,
 *     updatedAt: string
 * }
 *
 * @phpstan-type PaymentSummary array{
 *     paymentIntentId: int,
 *     uuid: string,
 *     uniqueId: string,
 *     test: bool,
 *     status: 'OPEN'|'PROCESSING'|'SUCCESS'|'FAILED'|'EXPIRED'|'CANCELED',
 *     totalAmount: int,
 *     commission: int,
 *     chargedAmount: int,
 *     refundedAmount: int,
 *     currency: 'ETB'|'USD',
 *     transactionId: string|null,
 *     paymentType: string|null,
 *     receipt: string|null,
 *     providerReference: string|null,
 *     reason: string|null,
 *     late: bool,
 *     createdAt: string,
 *     updatedAt: string,
 *     endedAt: string|null,
 *     metadata: array<string, string>,
 *     paidAt: string|null
 * }
 *
 * @phpstan-type Delivery array{
 *     endpointId: string|null,
 *     url: string|null,
 *     state: string,
 *     tries: int,
 *     lastTryAt: string|null,
 *     nextTryAt: string|null,
 *     lastError: string|null
 * }
 *
 * @phpstan-type Event array{
 *     id: string,
 *     type: string,
 *     paymentIntentUniqueId: string,
 *     sequence: int,
 *     test: bool,
 *     createdAt: string,
 *     deliveries: list<Delivery>
 * }
 *
 * @phpstan-type EventWithPayload array{
 *     id: string,
 *     type: string,
 *     paymentIntentUniqueId: string,
 *     sequence: int,
 *     test: bool,
 *     createdAt: string,
 *     deliveries: list<Delivery>,
 *     payload: string|null
 * }
 *
 * @phpstan-type ResendResult array{
 *     resent: int,
 *     unreachable: int,
 *     hasMore: bool,
 *     nextCursor: string|null
 * }
 *
 * @phpstan-type EventBody array{
 *     paymentIntentId: int,
 *     uuid: string,
 *     uniqueId: string,
 *     paymentLinkUniqueId: string|null,
 *     test: bool,
 *     callbackUrl: string|null,
 *     returnUrl: string|null,
 *     commissionPaidByCustomer: bool,
 *     creationDate: string,
 *     lastUpdateDate: string,
 *     expireDate: string,
 *     totalAmount: int,
 *     commission: int,
 *     chargedAmount: int,
 *     currency: 'ETB'|'USD',
 *     checkoutBeneficiaries: list<CheckoutBeneficiary>,
 *     productItems: list<ProductItem>,
 *     transaction: Transaction|null,
 *     merchantCustomer: MerchantCustomer|null,
 *     paymentMethodTypes: list<string>,
 *     status: 'OPEN'|'PROCESSING'|'SUCCESS'|'FAILED'|'EXPIRED'|'CANCELED',
 *     previousStatus: 'OPEN'|'PROCESSING'|'SUCCESS'|'FAILED'|'EXPIRED'|'CANCELED'|null,
 *     sequence: int,
 *     late: bool,
 *     reason: string|null,
 *     metadata: array<string, string>,
 *     event: string,
 *     refundedAmount?: int,
 *     refund?: Refund,
 *     paidAt: string|null,
 *     merchantId: string,
 *     environment: 'sandbox'|'production',
 *     receiptUrl: string|null
 * }
 *
 * @phpstan-type Telebirr array{
 *     appId: string|null,
 *     shortCode: string|null,
 *     receiveCode: string|null,
 *     rawRequest: string|null
 * }
 *
 * @phpstan-type ExpressResult array{
 *     paymentUrl: string|null,
 *     transactionId: string,
 *     status: 'SUCCESS'|'FAILURE',
 *     message: string,
 *     failureReason: string|null,
 *     telebirr?: Telebirr|null
 * }
 *
 * @phpstan-type Bank array{
 *     code: string,
 *     name: string,
 *     supportsWithdrawal: bool
 * }
 *
 * @phpstan-type WebhookEndpoint array{
 *     id: string,
 *     kind: 'URL'|'TELEGRAM'|'EMAIL',
 *     url: string,
 *     eventTypes: list<string>,
 *     description: string,
 *     enabled: bool,
 *     paused: bool,
 *     signatureHeader: string|null,
 *     payloadVersion: string,
 *     createdAt: string
 * }
 *
 * @phpstan-type WebhookEndpointWithSecret array{
 *     id: string,
 *     kind: 'URL'|'TELEGRAM'|'EMAIL',
 *     url: string,
 *     eventTypes: list<string>,
 *     description: string,
 *     enabled: bool,
 *     paused: bool,
 *     signatureHeader: string|null,
 *     payloadVersion: string,
 *     createdAt: string,
 *     secret: string
 * }
 *
 * @phpstan-type PaymentLinkOpenAmount array{
 *     min: int|float,
 *     max: int|float|null,
 *     suggestions: list<int|float>
 * }
 *
 * @phpstan-type PaymentLinkItem array{
 *     name: string,
 *     description: string|null,
 *     type: 'SERVICE'|'DIGITAL_PRODUCT'|'PHYSICAL_PRODUCT',
 *     quantityMax: int,
 *     price: int|float
 * }
 *
 * @phpstan-type PaymentLinkAskFor array{
 *     name: 'NO'|'OPTIONAL'|'REQUIRED',
 *     phone: 'NO'|'OPTIONAL'|'REQUIRED',
 *     email: 'NO'|'OPTIONAL'|'REQUIRED',
 *     note: 'NO'|'OPTIONAL'|'REQUIRED'
 * }
 *
 * @phpstan-type PaymentLinkSplitPayment array{
 *     bank: string,
 *     creditAccount: string,
 *     splitType: 'PERCENTAGE'|'NUMBER',
 *     amount: int|float
 * }
 *
 * @phpstan-type PaymentLink array{
 *     paymentLinkUniqueId: string,
 *     url: string,
 *     title: string,
 *     description: string|null,
 *     amount: int|float|null,
 *     openAmount: PaymentLinkOpenAmount|null,
 *     items: list<PaymentLinkItem>,
 *     currency: 'ETB'|'USD',
 *     methods: list<string>,
 *     askFor: PaymentLinkAskFor,
 *     commissionPaidByCustomer: bool,
 *     splitPayment: list<PaymentLinkSplitPayment>,
 *     validUntil: string|null,
 *     paymentsMax: int|null,
 *     paidText: string|null,
 *     returnUrl: string|null,
 *     callbackUrl: string|null,
 *     metadata: array<string, string>,
 *     isActive: bool,
 *     paymentsCount: int|null,
 *     createdAt: string,
 *     updatedAt: string
 * }
 *
 * @phpstan-type WebhookKey array{
 *     keyId: string,
 *     algorithm: 'SHA256withRSA',
 *     publicKey: string,
 *     retiredAt: string|null,
 *     publishedUntil: string|null
 * }
 *
 * @phpstan-type ExpressPayment array{
 *     paymentUrl: string|null,
 *     transactionId: string,
 *     status: 'SUCCESS'|'FAILURE',
 *     message: string,
 *     failureReason: string|null,
 *     telebirr?: Telebirr|null,
 *     isReplayed: bool,
 *     warnings: list<string>
 * }
 *
 * @phpstan-type CreatedRefund array{
 *     refundUniqueId: string,
 *     paymentIntentUniqueId: string,
 *     transactionId: string|null,
 *     status: 'PENDING'|'PROCESSING'|'REQUIRES_ACTION'|'SUCCESS'|'FAILED'|'CANCELED',
 *     amountMinor: int,
 *     commissionReturnedMinor: int,
 *     returnedMinor: int,
 *     currency: 'ETB'|'USD',
 *     reason: string|null,
 *     failureReason: string|null,
 *     actionReason: string|null,
 *     providerReference: string|null,
 *     late: bool,
 *     createdAt: string,
 *     updatedAt: string,
 *     isReplayed: bool,
 *     warnings: list<string>
 * }
 *
 * @phpstan-type CreatedWebhookEndpoint array{
 *     id: string,
 *     kind: 'URL'|'TELEGRAM'|'EMAIL',
 *     url: string,
 *     eventTypes: list<string>,
 *     description: string,
 *     enabled: bool,
 *     paused: bool,
 *     signatureHeader: string|null,
 *     payloadVersion: string,
 *     createdAt: string,
 *     secret: string,
 *     isReplayed: bool,
 *     warnings: list<string>
 * }
 *
 * @phpstan-type CreatedPaymentLink array{
 *     paymentLinkUniqueId: string,
 *     url: string,
 *     title: string,
 *     description: string|null,
 *     amount: int|float|null,
 *     openAmount: PaymentLinkOpenAmount|null,
 *     items: list<PaymentLinkItem>,
 *     currency: 'ETB'|'USD',
 *     methods: list<string>,
 *     askFor: PaymentLinkAskFor,
 *     commissionPaidByCustomer: bool,
 *     splitPayment: list<PaymentLinkSplitPayment>,
 *     validUntil: string|null,
 *     paymentsMax: int|null,
 *     paidText: string|null,
 *     returnUrl: string|null,
 *     callbackUrl: string|null,
 *     metadata: array<string, string>,
 *     isActive: bool,
 *     paymentsCount: int|null,
 *     createdAt: string,
 *     updatedAt: string,
 *     isReplayed: bool,
 *     warnings: list<string>
 * }
 *
 * @phpstan-type PaymentPage array{
 *     data: list<PaymentSummary>,
 *     hasMore: bool,
 *     nextCursor: string|null
 * }
 *
 * @phpstan-type RefundPage array{
 *     data: list<RefundSummary>,
 *     hasMore: bool,
 *     nextCursor: string|null
 * }
 *
 * @phpstan-type EventPage array{
 *     data: list<Event>,
 *     hasMore: bool,
 *     nextCursor: string|null
 * }
 *
 * @phpstan-type PaymentLinkPage array{
 *     data: list<PaymentLink>,
 *     hasMore: bool,
 *     nextCursor: string|null
 * }
 *
 * @phpstan-type PaymentFilter array{
 *     status?: 'OPEN'|'PROCESSING'|'SUCCESS'|'FAILED'|'EXPIRED'|'CANCELED'|null,
 *     method?: 'TELE_BIRR'|'TELE_BIRR_USSD'|'CBE'|'ETS_SWITCH'|'M_PESA'|'E_BIRR'|null,
 *     endedFrom?: \DateTimeInterface|null,
 *     endedTo?: \DateTimeInterface|null,
 *     paidFrom?: \DateTimeInterface|null,
 *     paidTo?: \DateTimeInterface|null,
 *     customerPhone?: string|null,
 *     metadata?: array<string, string>|null,
 *     paymentLinkUniqueId?: string|null,
 *     createdFrom?: \DateTimeInterface|null,
 *     createdTo?: \DateTimeInterface|null,
 *     limit?: int|null,
 *     cursor?: string|null
 * }
 *
 * @phpstan-type RefundFilter array{
 *     status?: 'PENDING'|'PROCESSING'|'REQUIRES_ACTION'|'SUCCESS'|'FAILED'|'CANCELED'|null,
 *     paymentIntentUniqueId?: string|null,
 *     createdFrom?: \DateTimeInterface|null,
 *     createdTo?: \DateTimeInterface|null,
 *     limit?: int|null,
 *     cursor?: string|null
 * }
 *
 * @phpstan-type EventFilter array{
 *     paymentIntentUniqueId?: string|null,
 *     type?: 'PAYMENT_SUCCESS'|'PAYMENT_FAILED'|'PAYMENT_EXPIRED'|'REFUND_REQUIRES_ACTION'|'REFUND_SUCCESS'|'REFUND_FAILED'|null,
 *     deliveryState?: 'delivered'|'queued'|'waiting'|'dead'|'undeliverable'|'paused'|'skipped'|'superseded'|null,
 *     createdFrom?: \DateTimeInterface|null,
 *     createdTo?: \DateTimeInterface|null,
 *     limit?: int|null,
 *     cursor?: string|null
 * }
 *
 * @phpstan-type PaymentLinkFilter array{
 *     isActive?: bool|null,
 *     createdFrom?: \DateTimeInterface|null,
 *     createdTo?: \DateTimeInterface|null,
 *     limit?: int|null,
 *     cursor?: string|null
 * }
 */
final class Shapes
{
    /** Of the webhooks that `Webhook::signTest` makes. */
    public const PAYLOAD_VERSION = '2026-11-23';

    /** The keys of the arrays that the client sends. */
    public const KEYS = [
        'HostedPaymentRequest' => [
            'amount',
            'items',
            'currency',
            'paymentIntentUniqueId',
            'paymentLinkUniqueId',
            'splitPayment',
            'expireIn',
            'callbackUrl',
            'refundEvents',
            'commissionPaidByCustomer',
            'metadata',
            'methods',
            'customerInfo',
            'returnUrl',
        ],
        'ExpressPaymentRequest' => [
            'amount',
            'items',
            'currency',
            'paymentIntentUniqueId',
            'paymentLinkUniqueId',
            'splitPayment',
            'expireIn',
            'callbackUrl',
            'refundEvents',
            'commissionPaidByCustomer',
            'metadata',
            'method',
            'telebirrForm',
            'returnUrl',
            'phoneNumber',
            'customerInfo',
            'testMode',
            'debitAccount',
            'description',
        ],
        'RefundRequest' => [
            'paymentIntentUniqueId',
            'refundUniqueId',
            'amountMinor',
            'reason',
            'transactionId',
        ],
        'NewWebhookEndpoint' => [
            'url',
            'eventTypes',
            'description',
            'enabled',
            'signatureHeader',
        ],
        'WebhookEndpointChanges' => [
            'url',
            'eventTypes',
            'description',
            'enabled',
            'signatureHeader',
            'paused',
        ],
        'NewPaymentLink' => [
            'paymentLinkUniqueId',
            'title',
            'description',
            'amount',
            'openAmount',
            'items',
            'currency',
            'methods',
            'askFor',
            'commissionPaidByCustomer',
            'splitPayment',
            'validUntil',
            'paymentsMax',
            'paidText',
            'returnUrl',
            'callbackUrl',
            'metadata',
            'isActive',
        ],
        'PaymentLinkChanges' => [
            'title',
            'description',
            'amount',
            'openAmount',
            'items',
            'currency',
            'methods',
            'askFor',
            'commissionPaidByCustomer',
            'splitPayment',
            'validUntil',
            'paymentsMax',
            'paidText',
            'returnUrl',
            'callbackUrl',
            'metadata',
            'isActive',
        ],
        'PaymentFilter' => [
            'status',
            'method',
            'endedFrom',
            'endedTo',
            'paidFrom',
            'paidTo',
            'customerPhone',
            'metadata',
            'paymentLinkUniqueId',
            'createdFrom',
            'createdTo',
            'limit',
            'cursor',
        ],
        'RefundFilter' => [
            'status',
            'paymentIntentUniqueId',
            'createdFrom',
            'createdTo',
            'limit',
            'cursor',
        ],
        'EventFilter' => [
            'paymentIntentUniqueId',
            'type',
            'deliveryState',
            'createdFrom',
            'createdTo',
            'limit',
            'cursor',
        ],
        'PaymentLinkFilter' => [
            'isActive',
            'createdFrom',
            'createdTo',
            'limit',
            'cursor',
        ],
    ];
}
