import type { ChannelName, Sent } from './channels.ts';
import type { NoticeSubject } from './notice.ts';
import type { EventSubject, MethodTally, Source, Standing } from './standing.ts';

/** The code of the object of the alerts, which `OperatorAlerts` loads. */
export class OpenAlerts {
  protected readonly ctx: DurableObjectState;
  protected readonly env: Env;

  constructor(ctx: DurableObjectState, env: Env) {
    this.ctx = ctx;
    this.env = env;
  }

  /** Replaces all that a source said before. */
  async stand(_source: Source, _standings: readonly Standing[]): Promise<void> {}

  /** Counts attempts that have ended. */
  async tally(_tallies: readonly MethodTally[]): Promise<void> {}

  /** Counts what happens and leaves nothing behind. */
  async happen(_subject: EventSubject, _count: number, _detail: string | null): Promise<void> {}

  /** Looks around now if it is due, and makes sure that an alarm is set. */
  async look(): Promise<void> {}

  /** What is open, and how the channels do. */
  async state(): Promise<AlertsState> {
    return { open: [], channels: [], lookedAtMs: null, beatAtMs: null };
  }

  /** Sends a test message by one channel now. */
  async test(_channel: ChannelName): Promise<Sent> {
    return { type: 'refused', error: 'not set up' };
  }

  async alarm(): Promise<void> {}
}

export interface AlertsState {
  readonly open: readonly NoticeSubject[];
  readonly channels: readonly ChannelState[];
  readonly lookedAtMs: number | null;
  /** When the heartbeat's address last answered. */
  readonly beatAtMs: number | null;
}

export interface ChannelState {
  readonly name: ChannelName;
  /** Notices that wait to be sent. */
  readonly waiting: number;
  readonly sentAtMs: number | null;
  /** Why the last try failed; null when it did not. */
  readonly error: string | null;
}
