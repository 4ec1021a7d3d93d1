import type { RestoreProof } from '../../src/control/rpc/operator.ts';

/** What `restore gateway` prints. */

export interface RestoreStep {
  readonly phase: string;
  readonly rows: number;
  readonly payments: number;
  /** Null before the last step. */
  readonly proof: RestoreProof | null;
}

/** How far the upload of a fetched copy is. */
export interface Uploaded {
  readonly phase: 'upload';
  readonly parts: number;
  readonly of: number;
  /** Those that neither the copy nor the bucket has whole. */
  readonly unread: readonly string[];
}

export type RestoreShown = RestoreStep | Uploaded;

/** A step as a line, and the proof as a table. */
export function restoreLines(shown: RestoreShown): readonly string[] {
  if (shown.phase === 'upload') {
    const { parts, of, unread } = shown as Uploaded;
    const lines = [`${parts - unread.length} of ${of} parts are in the bucket`];
    return parts < of || unread.length === 0
      ? lines
      : [...lines, ...unread.map((name) => `${name} cannot be opened, and was passed over`)];
  }
  const { phase, rows, payments, proof } = shown as RestoreStep;
  return proof === null
    ? [`${phase}: ${rows} rows and ${payments} payments so far`]
    : proofLines(proof);
}

function proofLines(proof: RestoreProof) {
  const { lines, differences, linesOfPayments, restored, kept, closedAtMs } = proof;
  const cells = lines.map(({ what, inBackup, inGateway }) => [
    what,
    inBackup === null ? '' : String(inBackup),
    String(inGateway),
  ]);
  const rows = [['', 'backup', 'gateway'], ...cells];
  const width = Math.max(...rows.map(([what = '']) => what.length));
  return [
    ...rows.map(
      ([what = '', inBackup = '', inGateway = '']) =>
        `${what.padEnd(width)}  ${inBackup.padStart(9)}  ${inGateway.padStart(9)}`,
    ),
    `${linesOfPayments} lines of payments: ${restored} restored, ${kept} older or there already`,
    differences.length === 0 ? 'Nothing differs.' : `${differences.length} differences.`,
    ...(closedAtMs === null ? [] : [closedText(closedAtMs)]),
  ];
}

export function closedText(closedAtMs: number): string {
  return `The restore was closed on ${new Date(closedAtMs).toISOString()}, and takes nothing more.`;
}
