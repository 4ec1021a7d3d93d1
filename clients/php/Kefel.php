<?php

declare(strict_types=1);

/**
 * A client of Kefel for PHP 8.1 and newer with ext-curl. It has no dependencies: copy this file.
 * README.md shows the first payment and a webhook. Fields of requests and answers are in the API
 * reference; the client passes them through as arrays.
 */

namespace Kefel;

/** Calls the gateway in the environment of its key. */
final class Client
{
    /** Of this client, and in the user agent that it sends. */
    public const VERSION = '0.1.0';

    public readonly Payments $payments;
    public readonly Refunds $refunds;
    public readonly Events $events;

    /**
     * @param string $apiKey `kfl_test_…` or `kfl_live_…`; decides the environment
     * @param string $baseUrl the gateway's address: `https://pay.example.com`; a live key goes by
     *     https only
     * @param float $timeoutSeconds how long one try may take; express payments wait for the provider
     * @param int $retriesMax how often the client repeats a call after a failure that a repeat may cure
     */
    public function __construct(
        string $apiKey,
        string $baseUrl,
        float $timeoutSeconds = 60,
        int $retriesMax = 3,
    ) {
        $transport = new Transport($apiKey, $baseUrl, $timeoutSeconds, $retriesMax);
        $this->payments = new Payments($transport);
        $this->refunds = new Refunds($transport);
        $this->events = new Events($transport);
    }
}

/** Creating, reading and canceling payments. */
final class Payments
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Creates a payment with a page. Redirect the customer to `checkoutUrl`.
     *
     * @param string|null $idempotencyKey a text of your own, to repeat a call safely in another
     *     process; random by default
     */
    public function create(array $request, ?string $idempotencyKey = null): CreatedPayment
    {
        $answer = $this->transport->send(
            'POST',
            '/intent',
            $request,
            $idempotencyKey ?? Transport::randomKey(),
        );
        return new CreatedPayment($answer->body['content'], $answer->isReplayed);
    }

    /**
     * Charges one method directly. The status `SUCCESS` means accepted, not paid: wait for the
     * webhook. Charge again only after `FAILURE`.
     */
    public function express(array $request, ?string $idempotencyKey = null): array
    {
        $answer = $this->transport->send(
            'POST',
            '/express/pay',
            $request,
            $idempotencyKey ?? Transport::randomKey(),
        );
        return $answer->body['content'] + ['isReplayed' => $answer->isReplayed];
    }

    /** The payment with your id, its uuid or its integer id. Throws `payment_not_found`. */
    public function get(string|int $id): array
    {
        return $this->transport->content('GET', '/intents/' . rawurlencode((string) $id));
    }

    /**
     * A page of payments, newest first. The list lags by seconds.
     *
     * @param array $filter `status`, `method`, `createdFrom`, `createdTo`, `endedFrom`, `endedTo`,
     *     `paidFrom`, `paidTo` (DateTimeInterface), `customerPhone`, `metadata` (array), `limit`, `cursor`
     * @return array `data`, `hasMore`, `nextCursor`
     */
    public function list(array $filter = []): array
    {
        return $this->transport->content('GET', '/intents' . Transport::query($filter));
    }

    /** Cancels while no attempt is under way; canceling twice changes nothing. */
    public function cancel(string $id): array
    {
        return $this->transport->content('POST', '/intents/' . rawurlencode($id) . '/cancel');
    }
}

/** Returning money to customers. */
final class Refunds
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Returns a payment, or a part of it. The outcome comes by webhook. Refund again only after
     * `FAILED` or `CANCELED`.
     *
     * @param array $request `paymentIntentUniqueId`, `refundUniqueId`, and perhaps `amountMinor`
     *     (in minor units, 5000 is 50.00; all that is left when the key is absent), `reason`,
     *     `transactionId`
     * @return array the refund and `isReplayed`
     * @throws \InvalidArgumentException for an `amountMinor` that is there but no int, such as
     *     null; nothing is sent
     */
    public function create(array $request, ?string $idempotencyKey = null): array
    {
        if (array_key_exists('amountMinor', $request) && !is_int($request['amountMinor'])) {
            throw new \InvalidArgumentException(sprintf(
                'amountMinor must be an int of minor units, such as 5000 for 50.00, not %s. '
                    . 'Leave it out to refund all that is left.',
                var_export($request['amountMinor'], true),
            ));
        }
        $answer = $this->transport->send(
            'POST',
            '/refunds',
            $request,
            $idempotencyKey ?? Transport::randomKey(),
        );
        return $answer->body['content'] + ['isReplayed' => $answer->isReplayed];
    }

    /** The refund with your id. Throws `refund_not_found`. */
    public function get(string $id): array
    {
        return $this->transport->content('GET', '/refunds/' . rawurlencode($id));
    }

    /**
     * A page of refunds, newest first. The list lags by seconds.
     *
     * @param array $filter `paymentIntentUniqueId`, `status`, `createdFrom`, `createdTo`
     *     (DateTimeInterface), `limit`, `cursor`
     * @return array `data`, `hasMore`, `nextCursor`
     */
    public function list(array $filter = []): array
    {
        return $this->transport->content('GET', '/refunds' . Transport::query($filter));
    }

    /** Cancels while the refund is `PENDING`; canceling twice changes nothing. */
    public function cancel(string $id): array
    {
        return $this->transport->content('POST', '/refunds/' . rawurlencode($id) . '/cancel');
    }
}

/** What webhooks told you, or should have. */
final class Events
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * A page of events, newest first. The list lags by seconds.
     *
     * @param array $filter `type`, `deliveryState`, `createdFrom`, `createdTo` (DateTimeInterface),
     *     `limit`, `cursor`
     * @return array `data`, `hasMore`, `nextCursor`
     */
    public function list(array $filter = []): array
    {
        return $this->transport->content('GET', '/events' . Transport::query($filter));
    }

    /** The event with `payload`, the body that is sent. */
    public function get(string $id): array
    {
        return $this->transport->content('GET', '/events/' . rawurlencode($id));
    }

    /** Sends the event again; one that is on its way stays as it is. */
    public function resend(string $id): array
    {
        return $this->transport->content('POST', '/events/' . rawurlencode($id) . '/resend');
    }

    /**
     * Sends again what no endpoint has accepted since a time, oldest first. Repeat the call with
     * `nextCursor` while `hasMore` is true.
     *
     * @return array `resent`, `unreachable`, `hasMore`, `nextCursor`
     */
    public function resendUndelivered(\DateTimeInterface $since, ?string $cursor = null): array
    {
        $body = ['since' => Transport::iso($since), 'cursor' => $cursor];
        return $this->transport->content('POST', '/events/resend', $body);
    }
}

final class CreatedPayment
{
    public function __construct(
        public readonly string $checkoutUrl,
        /** Whether an earlier call with this idempotency key created it. */
        public readonly bool $isReplayed,
    ) {
    }
}

/**
 * The gateway refused the request. After a status of 429, or of 500 and above, and after
 * `idempotency_key_in_use` an earlier try may still have made the payment or the refund: proceed as
 * after ConnectionException.
 */
final class ApiException extends \RuntimeException
{
    /** For programs; `unknown` when the answer is not Kefel's, as that of a proxy. */
    public readonly string $errorCode;
    /** Give it to support. */
    public readonly ?string $requestId;
    /** The page that says what to do. */
    public readonly ?string $docs;
    /** A message for each field that broke a rule, by its path: `items[0].price`. */
    public readonly array $validationErrors;
    /** The same as codes: `required`, `too_long`. */
    public readonly array $validationErrorCodes;

    public function __construct(
        public readonly int $status,
        array $body,
        public readonly ?int $retryAfterSeconds,
    ) {
        parent::__construct($body['message'] ?? "HTTP $status");
        $this->errorCode = $body['code'] ?? 'unknown';
        $this->requestId = $body['requestId'] ?? null;
        $this->docs = $body['docs'] ?? null;
        $this->validationErrors = $body['validationErrors'] ?? [];
        $this->validationErrorCodes = $body['validationErrorCodes'] ?? [];
    }
}

/**
 * No answer arrived, in any try. The payment or the refund may exist: read it by its id, or repeat
 * the call with the same idempotency key.
 */
final class ConnectionException extends \RuntimeException
{
}

/** A webhook that does not come from the gateway, or is too old. Answer it with 400. */
final class WebhookVerificationException extends \RuntimeException
{
}

/**
 * A verified webhook. Deduplicate by `id`: an event may arrive more than once. Check `type` first:
 * the payment's status stays `SUCCESS` in events of refunds.
 */
final class Webhook
{
    /** How old a webhook may be: Standard Webhooks recommends five minutes. */
    private const AGE_SECONDS_MAX = 300;

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
     * @param array $headers `$_SERVER`, `getallheaders()` or the headers of your framework
     * @param string $secret `whsec_…`, from the dashboard
     * @param ?string $merchantId yours, from the dashboard; without it or $environment it warns
     * @param ?string $environment `sandbox` or `production`
     * @throws WebhookVerificationException
     */
    public static function verify(
        string $rawBody,
        array $headers,
        string $secret,
        ?string $merchantId = null,
        ?string $environment = null,
    ): self {
        $headers = array_change_key_case($headers);
        $header = static function (string $name) use ($headers): string {
            $value = $headers[$name] ?? $headers['http_' . strtr($name, '-', '_')] ?? '';
            return (string) (is_array($value) ? reset($value) : $value);
        };
        $id = $header('webhook-id');
        $timestamp = $header('webhook-timestamp');
        if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > self::AGE_SECONDS_MAX) {
            throw new WebhookVerificationException('The webhook is too old, or its timestamp is missing');
        }
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        if ($key === false || $key === '') {
            throw new WebhookVerificationException('The secret is not whsec_ and base64');
        }
        $mac = hash_hmac('sha256', "$id.$timestamp.$rawBody", $key, true);
        $expected = 'v1,' . base64_encode($mac);
        foreach (explode(' ', $header('webhook-signature')) as $signature) {
            if (hash_equals($expected, $signature)) {
                return self::decoded($id, $rawBody)->checked($merchantId, $environment);
            }
        }
        throw new WebhookVerificationException('The signature does not fit');
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

/** @internal */
final class Answer
{
    public function __construct(
        public readonly int $status,
        public readonly array $body,
        public readonly bool $isReplayed,
        public readonly ?int $retryAfterSeconds,
    ) {
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

    private readonly string $root;

    public function __construct(
        private readonly string $apiKey,
        string $baseUrl,
        private readonly float $timeoutSeconds,
        private readonly int $retriesMax,
    ) {
        self::checkPrivacy($apiKey, $baseUrl);
        $environment = str_starts_with($apiKey, 'kfl_test_') ? '/sandbox' : '';
        $this->root = rtrim($baseUrl, '/') . '/api/v1/payment' . $environment;
    }

    /** Over plain http, any host on the way could read the key and take money with it. */
    private static function checkPrivacy(string $apiKey, string $baseUrl): void
    {
        $scheme = strtolower((string) parse_url($baseUrl, PHP_URL_SCHEME));
        $host = strtolower((string) parse_url($baseUrl, PHP_URL_HOST));
        $isLoopback = preg_match('/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/D', $host) === 1;
        if (str_starts_with($apiKey, 'kfl_live_') && $scheme !== 'https' && !$isLoopback) {
            throw new \InvalidArgumentException(
                'baseUrl must begin with https://: plain http exposes a live key',
            );
        }
    }

    public static function randomKey(): string
    {
        return bin2hex(random_bytes(16));
    }

    public static function iso(\DateTimeInterface $time): string
    {
        return $time->format('Y-m-d\TH:i:s.vP');
    }

    /** `?status=SUCCESS&metadata[branch]=Bole`, percent-encoded. */
    public static function query(array $values): string
    {
        $texts = array_map(
            static fn ($value) => $value instanceof \DateTimeInterface ? self::iso($value) : $value,
            $values,
        );
        return '?' . http_build_query($texts, '', '&', PHP_QUERY_RFC3986);
    }

    /** The `content` of the answer to a call that needs no idempotency key. */
    public function content(string $method, string $path, ?array $body = null): array
    {
        return $this->send($method, $path, $body)->body['content'];
    }

    public function send(
        string $method,
        string $path,
        ?array $body = null,
        ?string $idempotencyKey = null,
    ): Answer {
        for ($retries = 0; ; $retries++) {
            $answer = $this->try($method, $path, $body, $idempotencyKey);
            if ($answer instanceof Answer && $answer->status === 200) {
                return $answer;
            }
            $failure = $answer instanceof Answer
                ? new ApiException($answer->status, $answer->body, $answer->retryAfterSeconds)
                : $answer;
            $waitSeconds = self::waitBefore($retries, $failure);
            if (
                $retries >= $this->retriesMax
                || !self::isPassing($failure)
                || $waitSeconds > self::WAIT_SECONDS_MAX
            ) {
                throw $failure;
            }
            usleep((int) ($waitSeconds * 1_000_000));
        }
    }

    private function try(
        string $method,
        string $path,
        ?array $body,
        ?string $idempotencyKey,
    ): Answer|ConnectionException {
        // Firewalls refuse requests of unnamed programs.
        $headers = ["apiKey: $this->apiKey", 'user-agent: kefel-php/' . Client::VERSION];
        if ($body !== null) {
            $headers[] = 'content-type: application/json';
        }
        if ($idempotencyKey !== null) {
            $headers[] = "Idempotency-Key: $idempotencyKey";
        }
        $received = [];
        $call = curl_init($this->root . $path);
        curl_setopt_array($call, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT_MS => (int) ($this->timeoutSeconds * 1_000),
            CURLOPT_HEADERFUNCTION => static function ($call, string $line) use (&$received): int {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $received[strtolower($name)] = trim($value);
                return strlen($line);
            },
        ]);
        if ($method === 'POST') {
            curl_setopt($call, CURLOPT_POSTFIELDS, $body === null ? '' : self::json($body));
        }
        $text = curl_exec($call);
        if ($text === false) {
            return new ConnectionException("No answer to $method $path: " . curl_error($call));
        }
        $json = json_decode($text, true);
        $retryAfter = $received['retry-after'] ?? '';
        return new Answer(
            curl_getinfo($call, CURLINFO_RESPONSE_CODE),
            // A proxy in between may answer with a page.
            is_array($json) ? $json : [],
            ($received['idempotent-replayed'] ?? '') === 'true',
            ctype_digit($retryAfter) ? (int) $retryAfter : null,
        );
    }

    private static function json(array $body): string
    {
        return json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
    }

    private static function isPassing(\RuntimeException $failure): bool
    {
        return !$failure instanceof ApiException
            || in_array($failure->status, self::PASSING_STATUSES, true)
            || $failure->errorCode === self::PASSING_CODE;
    }

    /** What the gateway asks for; else half to all of a time that doubles with each retry. */
    private static function waitBefore(int $retries, \RuntimeException $failure): float
    {
        $asked = $failure instanceof ApiException ? $failure->retryAfterSeconds : null;
        $limit = min(self::WAIT_SECONDS_MAX, self::FIRST_WAIT_SECONDS * 2 ** $retries);
        return $asked ?? $limit * (0.5 + random_int(0, 1_000) / 2_000);
    }
}
