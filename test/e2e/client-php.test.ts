import { expect, test } from 'vitest';
import { phpDriver, printedByPhp } from '../support/clients/php.ts';
import { playScenarios } from '../support/clients/play.ts';
import { playUntyped } from '../support/clients/untyped.ts';

/** Goal: the clients of all languages do the same. Method: one table of scenarios for all of them. */

playScenarios('php', phpDriver);
playUntyped('php', phpDriver);

test('shows the key in no dump and in no trace', async () => {
  const printed = await printedByPhp(`
    ini_set('zend.exception_ignore_args', '0');
    ini_set('zend.exception_string_param_max_len', '100');
    $kefel = new Kefel\\Client('kfl_test_SECRET', 'http://127.0.0.1:1', 0.5, 0);
    foreach ([
        fn () => new Kefel\\Client('kfl_test_SECRET', 'nowhere'),
        fn () => new Kefel\\Client("kfl_test_SECRET\\nx: y", 'https://pay.example.com'),
        fn () => $kefel->payments->get('order-1'),
        fn () => $kefel->withOptions(deadlineSeconds: 0.2)->banks->list(),
        fn () => Kefel\\Webhook::verify('', ['webhook-timestamp' => (string) time()], 'SECRET-', 'me', 'sandbox'),
    ] as $call) {
        try {
            $call();
        } catch (Exception $error) {
            echo get_class($error), "\\n", $error, "\\n";
        }
    }
    var_dump($kefel);
    print_r($kefel);
  `);
  expect(printed).not.toContain('SECRET');
  expect(printed.match(/^(?:Kefel\\\w+|\w+)$/gm)).toEqual([
    'InvalidArgumentException',
    'InvalidArgumentException',
    'Kefel\\ConnectionException',
    'Kefel\\ConnectionException',
    'Kefel\\WebhookVerificationException',
  ]);
});
