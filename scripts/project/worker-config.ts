import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'smol-toml';

/** What scripts read or change in a wrangler.toml. */
export interface WorkerConfig {
  readonly name: string;
  readonly main: string;
  readonly alias?: Readonly<Record<string, string>>;
  readonly assets?: { readonly directory: string };
  readonly build?: { readonly command: string; readonly cwd?: string };
  readonly d1_databases?: readonly DatabaseConfig[];
  readonly r2_buckets?: readonly BucketConfig[];
  readonly queues?: {
    readonly producers: readonly { readonly queue: string }[];
    readonly consumers: readonly QueueConsumerConfig[];
  };
  readonly ratelimits?: readonly { readonly name: string; readonly namespace_id: string }[];
  readonly routes?: readonly RouteConfig[];
  readonly send_email?: readonly EmailConfig[];
  readonly services?: readonly { readonly binding: string; readonly service: string }[];
  readonly triggers?: { readonly crons: readonly string[] };
  readonly vpc_services?: readonly { readonly binding: string; readonly service_id: string }[];
  readonly vars?: Readonly<Record<string, string>>;
  readonly secrets?: { readonly required: readonly string[] };
  readonly [key: string]: unknown;
}

interface DatabaseConfig {
  readonly binding: string;
  readonly database_name: string;
  readonly migrations_dir: string;
}

interface BucketConfig {
  readonly binding: string;
  readonly bucket_name: string;
  readonly jurisdiction?: string;
}

interface RouteConfig {
  readonly pattern: string;
  readonly custom_domain?: boolean;
  readonly zone_name?: string;
}

interface EmailConfig {
  readonly name: string;
  readonly destination_address?: string;
  readonly allowed_sender_addresses: readonly string[];
}

interface QueueConsumerConfig {
  readonly queue: string;
  readonly dead_letter_queue?: string;
}

/** The configuration with whole paths, so that a copy of it works in any folder. */
export async function readWorkerConfig(file: string): Promise<WorkerConfig> {
  const config = parse(await readFile(file, 'utf8')) as unknown as WorkerConfig;
  const whole = (path: string) => resolve(dirname(file), path);
  const { alias, assets, main, d1_databases: databases } = config;
  return {
    ...config,
    main: whole(main),
    ...(assets && { assets: { ...assets, directory: whole(assets.directory) } }),
    ...(alias && {
      alias: Object.fromEntries(Object.entries(alias).map(([name, path]) => [name, whole(path)])),
    }),
    ...(databases && {
      d1_databases: databases.map((database) => ({
        ...database,
        migrations_dir: whole(database.migrations_dir),
      })),
    }),
  };
}

/**
 * The bindings that send e-mail, if the variables name their addresses: Cloudflare refuses them in an
 * account without e-mail, so wrangler.toml cannot have them. Alerts go to one address alone.
 */
export function emailBinding({
  ALERT_EMAIL_FROM: from = '',
  ALERT_EMAIL_TO: to = '',
  MESSAGE_EMAIL_FROM: messagesFrom = '',
}: Readonly<Record<string, string>>): Pick<WorkerConfig, 'send_email'> {
  const alerts = { destination_address: to, allowed_sender_addresses: [from] };
  const bindings = [
    ...(from === '' || to === '' ? [] : [{ name: 'ALERT_EMAIL', ...alerts }]),
    ...(messagesFrom === ''
      ? []
      : [{ name: 'MESSAGE_EMAIL', allowed_sender_addresses: [messagesFrom] }]),
  ];
  return bindings.length === 0 ? {} : { send_email: bindings };
}
