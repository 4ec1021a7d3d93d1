import { ConfigError } from '../config.ts';

interface Cause {
  readonly missing: string;
  /** What creates it: on a developer's machine, and for a deployed gateway. */
  readonly commands: { readonly local: string; readonly deployed: string };
}

const NO_TABLES: Cause = {
  missing: 'the database has no tables',
  commands: {
    local: 'npm run dev',
    deployed: 'npx wrangler d1 migrations apply kefel --remote',
  },
};
const NO_SECRETS: Cause = {
  missing: 'a secret or variable is missing or malformed',
  commands: { local: 'npm run dev', deployed: 'npm run --silent secrets:generate' },
};

/** What a gateway that is not set up lacks. */
export interface Gap {
  readonly missing: string;
  readonly command: string;
  /** A developer is told the command; the callers of a deployed gateway are not. */
  readonly isLocal: boolean;
}

/** The gap behind an error, or null when the error has another cause. */
export function gapBehind(error: unknown, request: Request): Gap | null {
  const cause = causeOf(error);
  if (cause === null) {
    return null;
  }
  // No deployed gateway has such a name.
  const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(request.url).hostname);
  const { missing, commands } = cause;
  return { missing, command: isLocal ? commands.local : commands.deployed, isLocal };
}

function causeOf(error: unknown): Cause | null {
  if (error instanceof ConfigError) {
    return NO_SECRETS;
  }
  return error instanceof Error && error.message.includes('no such table') ? NO_TABLES : null;
}
