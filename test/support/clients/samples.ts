import { spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { runPhp, startPhp, writeIntoPhp } from '../../../lab/harness/php.ts';
import { startPython } from '../../../lab/harness/python.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import { blocksOf } from '../documents/markdown.ts';

/** Runs the samples of one client's documentation as a reader would, beside a copy of the client. */
export interface SampleRunner {
  /** What the program prints. */
  print(code: string, environment: Environment): Promise<string>;
  /** The status with which the endpoint answers a webhook. */
  receive(code: string, webhook: ReceivedWebhook, environment: Environment): Promise<number>;
  close(): Promise<void>;
}

export type Environment = Readonly<Record<string, string>>;

export interface ReceivedWebhook {
  readonly rawBody: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The code blocks of a document in one language, in order. */
export function samplesOf(document: string, language: string): string[] {
  return blocksOf(document)
    .filter((block) => block.language === language)
    .map(({ text }) => text);
}

export async function typescriptSamples(): Promise<SampleRunner> {
  const directory = await mkdtemp(join(tmpdir(), 'kefel-samples-'));
  await mkdir(join(directory, 'kefel'));
  await writeFile(join(directory, 'package.json'), '{"type": "module"}');
  for (const file of ['kefel.ts', 'api-types.ts']) {
    const source = join(PROJECT_DIRECTORY, 'clients', 'typescript', file);
    await copyFile(source, join(directory, 'kefel', file));
  }
  return {
    print: async (code, environment) => {
      const file = join(directory, 'pay.ts');
      await writeFile(file, code);
      const env = { ...process.env, ...environment };
      const program = spawn(process.execPath, [file], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      return text(program.stdout);
    },
    receive: async (code, { rawBody, headers }, environment) => {
      const file = join(directory, 'webhook.ts');
      await writeFile(file, code);
      Object.assign(process.env, environment);
      const { POST } = await import(/* @vite-ignore */ pathToFileURL(file).href);
      const request = { method: 'POST', body: rawBody, headers: { ...headers } };
      const response: Response = await POST(new Request('https://shop.example.com/', request));
      return response.status;
    },
    close: () => rm(directory, { recursive: true }),
  };
}

export async function phpSamples(): Promise<SampleRunner> {
  const php = await startPhp();
  writeIntoPhp(
    php,
    '/shop/Kefel.php',
    await readFile(join(PROJECT_DIRECTORY, 'clients/php/Kefel.php')),
  );
  return {
    print: (code, env) => {
      writeIntoPhp(php, '/shop/pay.php', code);
      return runPhp(php, { scriptPath: '/shop/pay.php', env: { ...env } });
    },
    receive: async (code, { rawBody: body, headers }, env) => {
      const scriptPath = '/shop/webhook.php';
      writeIntoPhp(php, scriptPath, code);
      const request = { scriptPath, method: 'POST', body, headers: { ...headers } } as const;
      const { httpStatusCode } = await php.run({ ...request, env: { ...env } });
      return httpStatusCode;
    },
    close: async () => php.exit(),
  };
}

/** Gives the handler class of `http.server` a request without a socket. */
const SERVE = `
import io

class Connection:
    def __init__(self, request):
        self.request, self.answer = io.BytesIO(request), b""

    def makefile(self, *_):
        return self.request

    def sendall(self, data):
        self.answer += data

connection = Connection(request.encode())
Webhooks(connection, ("127.0.0.1", 0), None)
int(connection.answer.split()[1])
`;

export async function pythonSamples(): Promise<SampleRunner> {
  const python = await startPython();
  const prepare = async (environment: Environment, values: Environment = {}) => {
    python.globals.set('environment', python.toPy({ ...environment }));
    await python.runPythonAsync(
      'import os, sys; os.environ.update(environment); sys.path.append("/kefel/clients/python")',
    );
    return { globals: python.toPy({ ...values, __name__: 'sample' }) };
  };
  return {
    print: async (code, environment) => {
      let printed = '';
      python.setStdout({
        batched: (line) => {
          printed += `${line}\n`;
        },
      });
      await python.runPythonAsync(code, await prepare(environment));
      return printed;
    },
    receive: async (code, { rawBody, headers }, environment) => {
      const length = String(Buffer.byteLength(rawBody));
      const lines = Object.entries({ ...headers, 'content-length': length }).map(
        ([name, value]) => `${name}: ${value}`,
      );
      const request = ['POST / HTTP/1.1', ...lines, '', rawBody].join('\r\n');
      // The handler logs each request.
      python.setStderr({ batched: () => undefined });
      return python.runPythonAsync(code + SERVE, await prepare(environment, { request }));
    },
    close: async () => undefined,
  };
}
