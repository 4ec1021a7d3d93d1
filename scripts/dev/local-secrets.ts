import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { PROJECT_DIRECTORY, readIfPresent, readOrCreate, writeWhole } from '../project/files.ts';
import {
  generateSecret,
  isOptionalSecret,
  SECRET_NAMES,
  type SecretName,
  type Secrets,
} from '../project/secrets.ts';

/** Where `wrangler dev` reads secrets; git-ignored. */
const LOCAL_SECRETS_FILE = join(PROJECT_DIRECTORY, '.dev.vars');

const HEADER =
  '# Local secrets, created for `wrangler dev` and `npm run dev`. Never use them elsewhere.\n';
const LOCAL_KEY_ID = 'local1';
/** The people who have a secret of their own, and so a proved name. */
export const LOCAL_OPERATORS = ['Hana', 'Dawit'] as const;

/**
 * The secrets of local development. Creates the file, or adds the secrets that it lacks; existing
 * ones stay.
 */
export async function localSecrets(): Promise<Secrets> {
  const text = await readOrCreate(LOCAL_SECRETS_FILE, async () => {
    return HEADER + (await freshLines(SECRET_NAMES));
  });
  const missing = SECRET_NAMES.filter((name) => !parseEnv(text)[name]);
  if (missing.length === 0) {
    return secretsIn(text);
  }
  const separator = text === '' || text.endsWith('\n') ? '' : '\n';
  const completed = text + separator + (await freshLines(missing));
  await writeWhole(LOCAL_SECRETS_FILE, completed);
  return secretsIn(completed);
}

/**
 * The message to a developer who put an optional secret into `.dev.vars`: wrangler reads only the
 * required ones from it. Null without such a secret.
 */
export function ignoredSecrets(text: string): string | null {
  const names = Object.keys(parseEnv(text)).filter((name) => isOptionalSecret(name));
  const [first] = names;
  return first === undefined
    ? null
    : `.dev.vars: wrangler ignores ${names.join(', ')}. Instead, keep the value in a file and start with: npm run dev -- --var "${first}:$(cat FILE)"`;
}

/** Prints `ignoredSecrets` about the file. */
export async function warnOfIgnoredSecrets(): Promise<void> {
  const warning = ignoredSecrets((await readIfPresent(LOCAL_SECRETS_FILE)) ?? '');
  if (warning !== null) {
    console.warn(warning);
  }
}

async function freshLines(names: readonly SecretName[]): Promise<string> {
  const lines = await Promise.all(
    names.map(async (name) => `${name}="${await freshSecret(name)}"\n`),
  );
  return lines.join('');
}

/** The operator has a shared secret and one for each person, so that a developer can act as two. */
async function freshSecret(name: SecretName): Promise<string> {
  const secret = await generateSecret(name, LOCAL_KEY_ID);
  if (name !== 'OPERATOR_SECRETS') {
    return secret;
  }
  const personal = LOCAL_OPERATORS.map(
    async (person) => `${person}:${await generateSecret(name, LOCAL_KEY_ID)}`,
  );
  return [secret, ...(await Promise.all(personal))].join(',');
}

/** The secret that only this person has, or undefined in a file that names no such person. */
export function personalSecret(operatorSecrets: string, person: string): string | undefined {
  const entry = operatorSecrets.split(',').find((known) => known.startsWith(`${person}:`));
  return entry?.slice(person.length + 1);
}

function secretsIn(text: string): Secrets {
  const values = parseEnv(text);
  const entries = SECRET_NAMES.map((name) => [name, values[name] ?? '']);
  return Object.fromEntries(entries) as Secrets;
}
