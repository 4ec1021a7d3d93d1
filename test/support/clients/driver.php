<?php

declare(strict_types=1);

/**
 * Runs commands of the scenarios with the PHP client: one JSON text for each line of the input, and
 * one line of output for each. `php driver.php` reads the standard input; the tests' runtime has no
 * command line and posts the line.
 */

require_once __DIR__ . '/../../../clients/php/Kefel.php';

use Kefel\{ApiException, Client, ConnectionException, Webhook, WebhookVerificationException};

function value_of(array $command): mixed
{
    ['call' => $call, 'args' => $args, 'client' => $options] = $command;
    if ($call === 'verifyWebhook' || $call === 'verifyWebhook.warnings') {
        [$rawBody, $headers, $secret, $expected] = $args + [3 => []];
        $warnings = [];
        set_error_handler(static function (int $level, string $text) use (&$warnings): bool {
            $warnings[] = $text;
            return true;
        }, E_USER_DEPRECATED);
        $webhook = Webhook::verify($rawBody, $headers, $secret, ...$expected);
        return $call === 'verifyWebhook' ? get_object_vars($webhook) : $warnings;
    }
    $client = new Client($options['apiKey'], $options['baseUrl'], $options['timeoutSeconds']);
    if ($call === 'events.resendUndelivered') {
        $args = [new DateTimeImmutable($args[0])];
    }
    [$part, $method] = explode('.', $call);
    if ($method === 'list') {
        $args = [with_times($args[0])];
    }
    if ($call === 'refunds.create') {
        $args[0] = with_special_numbers($args[0]);
    }
    $value = $client->$part->$method($args[0], ...($args[1] ?? []));
    return is_object($value) ? get_object_vars($value) : $value;
}

/** `createdFrom` and the like as times. */
function with_times(array $filter): array
{
    foreach ($filter as $name => $value) {
        if (preg_match('/(From|To)$/', $name)) {
            $filter[$name] = new DateTimeImmutable($value);
        }
    }
    return $filter;
}

/** Numbers that JSON cannot write. */
function with_special_numbers(array $request): array
{
    $numbers = ['NaN' => NAN, 'Infinity' => INF];
    return array_map(
        static fn ($value) => is_array($value) ? $numbers[$value['$number']] : $value,
        $request,
    );
}

function error_of(Exception $error): array
{
    return match (true) {
        $error instanceof ApiException => [
            'kind' => 'api',
            'status' => $error->status,
            'code' => $error->errorCode,
            'message' => $error->getMessage(),
            'requestId' => $error->requestId,
            'docs' => $error->docs,
            'validationErrorCodes' => (object) $error->validationErrorCodes,
            'retryAfterSeconds' => $error->retryAfterSeconds,
        ],
        $error instanceof ConnectionException => ['kind' => 'connection'],
        $error instanceof WebhookVerificationException => ['kind' => 'webhook'],
        $error instanceof InvalidArgumentException => ['kind' => 'argument'],
    };
}

$input = fopen(PHP_SAPI === 'cli' ? 'php://stdin' : 'php://input', 'r');
while (($line = fgets($input)) !== false) {
    try {
        $result = ['value' => value_of(json_decode($line, true, flags: JSON_THROW_ON_ERROR))];
    } catch (ApiException | ConnectionException | WebhookVerificationException | InvalidArgumentException $error) {
        $result = ['error' => error_of($error)];
    }
    echo json_encode($result, JSON_THROW_ON_ERROR), "\n";
}
