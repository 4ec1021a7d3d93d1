/**
 * `npm run operator -- <noun> <verb> …`: the operator's API on the command line. `--help`
 * explains the rest.
 */
import { DeploymentFileError } from './deployment/deployment-file.ts';
import { type Invocation, parseCommandLine } from './operator/arguments.ts';
import { GatewayError, gatewayOf, inBatches, send } from './operator/client.ts';
import type { Gateway } from './operator/command.ts';
import {
  type ApiRequest,
  type Command,
  EXIT_FOUND,
  FoundError,
  UsageError,
} from './operator/command.ts';
import { helpText } from './operator/help.ts';
import { linesOf } from './operator/text.ts';
import { isFileError } from './project/files.ts';

/** Nothing is known: the command line is wrong, or the gateway refused, failed or did not answer. */
const EXIT_FAILED = 2;

async function main(): Promise<void> {
  const wanted = parseCommandLine(process.argv.slice(2));
  if ('help' in wanted) {
    console.log(helpText(wanted.help));
    return;
  }
  const { command, given } = wanted;
  const deployment = wanted.deployment ?? process.env.KEFEL_ENV;
  const contents = command.runHere?.(given, deployment) ?? (await contentsOf(wanted));
  let exitCode = 0;
  for await (const content of contents) {
    // A command is declared with the type of its own response.
    const found = command.exitCode?.(content as never) ?? 0;
    exitCode = Math.max(exitCode, found);
    if (found !== 0 || !wanted.isQuiet) {
      console.log(wanted.isJson ? JSON.stringify(content) : textOf(command, content));
    }
  }
  process.exitCode = exitCode;
}

async function contentsOf(wanted: Invocation): Promise<AsyncGenerator<unknown>> {
  const { command, given } = wanted;
  const request = command.request(given);
  const gateway = await gatewayOf(wanted, process.env);
  return command.run?.(gateway, given, process.env) ?? answers(gateway, wanted, request);
}

async function* answers(gateway: Gateway, wanted: Invocation, request: ApiRequest) {
  for (const batch of inBatches(request)) {
    yield* pages(gateway, wanted, batch);
  }
}

/** The content of the response, and with `--all` of every further page. */
async function* pages(
  gateway: Gateway,
  { command, isAll }: Invocation,
  request: ApiRequest,
): AsyncGenerator<unknown> {
  for (let next: ApiRequest | null = request; next !== null; ) {
    const content = await send(gateway, next);
    yield content;
    const place = placeAfter(command, content);
    if (place !== null && !isAll && command.pages === 'nextCursor') {
      console.error('There are more pages: use --all to see them.');
    }
    next = place === null || !isAll ? null : nextRequest(command, request, place);
  }
}

function placeAfter({ pages: field }: Command, content: unknown): string | null {
  const place: unknown =
    field === undefined || typeof content !== 'object' || content === null
      ? null
      : Reflect.get(content, field);
  return typeof place === 'string' ? place : null;
}

function nextRequest(command: Command, { path, body }: ApiRequest, place: string): ApiRequest {
  if (command.pages === 'next') {
    return { path, body: { ...body, after: place } };
  }
  const separator = path.includes('?') ? '&' : '?';
  return { path: `${path}${separator}cursor=${encodeURIComponent(place)}` };
}

function textOf({ shown, pages }: Command, content: unknown): string {
  // A command is declared with the type of its own response.
  const asked = (pages === 'nextCursor' ? Reflect.get(Object(content), 'items') : content) as never;
  return (typeof shown === 'function' ? shown(asked) : linesOf(asked, shown)).join('\n');
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  const isExpected =
    error instanceof UsageError ||
    error instanceof FoundError ||
    error instanceof GatewayError ||
    error instanceof DeploymentFileError ||
    isFileError(error);
  if (!isExpected && error instanceof Error) {
    console.error(error.stack);
  }
  process.exitCode = error instanceof FoundError ? EXIT_FOUND : EXIT_FAILED;
});
