<?php

declare(strict_types=1);

/**
 * Runs commands of the scenarios with the PHP client: one JSON text for each line of the input, and
 * one line of output for each. `php driver.php` reads the standard input; the tests' runtime has no
 * command line and posts the line.
 */

require_once __DIR__ . '/../../../clients/php/Kefel.php';

use Kefel\{ApiException, Client, ConnectionException, KefelException, Webhook, WebhookVerificationException};

function value_of(array $command): mixed
{
    ['call' => $call, 'args' => $args, 'client' => $options] = $command;
    if (str_starts_with($call, 'verifyWebhook')) {
        [$rawBody, $headers, $secret, $expected, $others] = $args + [3 => [], 4 => []];
        $warnings = [];
        set_error_handler(static function (int $level, string $text) use (&$warnings): bool {
            $warnings[] = $text;
            return true;
        }, E_USER_DEPRECATED);
        $others = with_special_numbers($others);
        $webhook = Webhook::verify($rawBody, $headers, $secret, ...$expected, ...$others);
        return $call === 'verifyWebhook' ? get_object_vars($webhook) : $warnings;
    }
    if ($call === 'signTestWebhook') {
        [$event, $secret, $sending] = $args;
        return Webhook::signTest($event, $secret, $sending['id'], new DateTimeImmutable($sending['at']));
    }
    $warnings = [];
    $client = new Client(...$options, onWarning: static function (string $warning) use (&$warnings) {
        $warnings[] = $warning;
    });
    [$part, $method, $isWarnings] = explode('.', $call) + [2 => null];
    if (in_array($method, ['create', 'express', 'get', 'list', 'cancel', 'resend'], true)) {
        $limits = array_intersect_key($args[1] ?? [], ['timeoutSeconds' => 0, 'deadlineSeconds' => 0]);
        $client = $client->withOptions(...$limits);
        $args[1] = array_diff_key($args[1] ?? [], $limits);
    }
    $value = called($client->$part, $method, $args);
    return $isWarnings === null ? $value : $warnings;
}

function called(object $part, string $method, array $args): mixed
{
    $value = match ($method) {
        'list', 'all' => $part->$method(...isset($args[0]) ? [with_times($args[0])] : []),
        'update' => $part->update(...$args),
        'resendUndelivered' => $part->resendUndelivered(new DateTimeImmutable($args[0])),
        'create' => $part->create(with_special_numbers($args[0]), ...$args[1]),
        default => $part->$method($args[0], ...($args[1] ?? [])),
    };
    if ($value instanceof Generator) {
        return iterator_to_array($value);
    }
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
        static fn ($value) => isset($value['$number']) ? $numbers[$value['$number']] : $value,
        $request,
    );
}

function error_of(Exception $error): array
{
    $about = match (true) {
        $error instanceof ApiException => [
            'kind' => 'api',
            'status' => $error->status,
            'code' => $error->errorCode,
            'requestId' => $error->requestId,
            'docs' => $error->docs,
            'validationErrorCodes' => (object) $error->validationErrorCodes,
            'retryAfterSeconds' => $error->retryAfterSeconds,
            'payment' => $error->payment,
        ],
        $error instanceof ConnectionException => ['kind' => 'connection'],
        $error instanceof WebhookVerificationException => ['kind' => 'webhook'],
        $error instanceof InvalidArgumentException => ['kind' => 'argument'],
    };
    return $about + ['message' => $error->getMessage()];
}

$input = fopen(PHP_SAPI === 'cli' ? 'php://stdin' : 'php://input', 'r');
while (($line = fgets($input)) !== false) {
    try {
        $result = ['value' => value_of(json_decode($line, true, flags: JSON_THROW_ON_ERROR))];
    } catch (KefelException | InvalidArgumentException $error) {
        $result = ['error' => error_of($error)];
    }
    echo json_encode($result, JSON_THROW_ON_ERROR), "\n";
}
