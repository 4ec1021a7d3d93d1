/**
 * Runs Workers that `buildWorkers` has built, as `npm run dev` runs the sources, and with its options.
 * It takes a quarter of the processor time, because it neither bundles nor has wrangler's proxy. Tests
 * start many gateways, and kill them.
 */
import { join } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { DEV } from '../dev/options.ts';
import { prepareLocalGateway } from '../dev/prepare.ts';
import { writeWorkers } from '../dev/workers.ts';
import { runScript } from '../project/options.ts';
import { WRANGLER_ENVIRONMENT } from '../project/wrangler.ts';
import { builtWorker } from './built-workers.ts';

const SCRIPT = {
  usage: 'node scripts/gateway/serve.ts',
  about: 'Runs built Workers as a local gateway.',
  options: {
    ...DEV.options,
    built: { value: 'DIR', about: 'where `buildWorkers` has put the bundles' },
    namespace: { value: 'NAME', about: 'whose ids of objects no other namespace accepts' },
  },
} as const;

await runScript(SCRIPT, async (options) => {
  Object.assign(process.env, WRANGLER_ENVIRONMENT);
  const { port, built = '', verbose: isVerbose } = options;
  const stateDirectory = options['persist-to'];
  const { secrets } = await prepareLocalGateway(
    stateDirectory,
    `http://localhost:${port}`,
    options.empty,
  );
  const configFiles = await writeWorkers({
    directory: join(stateDirectory, 'workers'),
    secrets,
    variables: ['LOCAL_CALLBACKS:true', ...options.var],
    paymentsConfigFile: options.config,
    hasBackOffice: !options['payments-only'],
  });
  const isQuiet = options['log-level'] === 'error';
  const gateway = new Miniflare(
    convertV4MiniflareOptions({
      host: 'localhost',
      port,
      resourcePersistencePath: join(stateDirectory, 'v3'),
      cf: false,
      // Without it, workerd says nothing of an uncaught exception.
      verbose: isVerbose && !isQuiet,
      log: new Log(isVerbose && !isQuiet ? LogLevel.INFO : LogLevel.ERROR),
      ...(isQuiet && { handleStructuredLogs: () => undefined }),
      workers: await Promise.all(
        configFiles.map((file) => builtWorker(file, built, options.namespace)),
      ),
    }),
  );
  await gateway.ready;
});
