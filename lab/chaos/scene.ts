import type { StandIns } from '../../scripts/stand-ins/start-all.ts';
import type { Caller } from './caller.ts';
import type { Member } from './member.ts';
import type { Observations } from './observations.ts';

/** Who and what a payment meets. */
export interface Scene {
  readonly caller: Caller;
  readonly member: Member;
  readonly standIns: StandIns;
  readonly observed: Observations;
}
