/** The code of the problem that a member's change meets while the operator pauses these. */
export const CHANGES_PAUSED = 'changes_paused';

/** A pause is a matter of minutes. */
export const CHANGES_PAUSED_RETRY_SECONDS = 60;
