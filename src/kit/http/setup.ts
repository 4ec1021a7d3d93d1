import { ConfigError } from '../config-error.ts';
import { isLoopback } from '../loopback.ts';

interface Cause {
  readonly missing: string;
  /** The commands that create what is missing, locally and for a deployed gateway. */
  readonly commands: { readonly local: string; readonly deployed: string };
}

const NO_TABLES: Cause = {
  missing: 'the database has no tables',
  commands: {
    local: 'npm run dev',
    deployed: 'npm run setup',
  },
};
const NO_SECRETS: Cause = {
  missing: 'a secret or variable is missing or malformed',
  commands: { local: 'npm run dev', deployed: 'npm run setup' },
};

/** The missing part of a gateway's setup. */
export interface Gap {
  readonly missing: string;
  readonly command: string;
  /** Only a developer's own machine shows the command to callers. */
  readonly isLocal: boolean;
}

/** The missing setup that caused an error, or null for another cause. */
export function gapBehind(error: unknown, request: Request): Gap | null {
  const cause = causeOf(error);
  if (cause === null) {
    return null;
  }
  // Deployed gateways never have these host names.
  const isLocal = isLoopback(new URL(request.url).hostname);
  const { missing, commands } = cause;
  return { missing, command: isLocal ? commands.local : commands.deployed, isLocal };
}

function causeOf(error: unknown): Cause | null {
  if (error instanceof ConfigError) {
    return NO_SECRETS;
  }
  return error instanceof Error && error.message.includes('no such table') ? NO_TABLES : null;
}
