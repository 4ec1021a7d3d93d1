import { registerOf } from '../../engine/register/client.ts';
import { readIfWhole } from '../backup/bucket.ts';
import {
  type LinkLine,
  type PartDigest,
  type RefundLine,
  type RegisterExport,
  type RowLine,
  withoutAddresses,
} from '../backup/manifest.ts';
import { auditPrefix, DATABASES, isRegisterPart } from '../backup/names.ts';
import { digestOf } from '../backup/part.ts';

/** The parts that a restore reads, and those of registers that it brings back. */

/** The lines of a part, and how they differ from the manifest. */
export async function linesOf<Line>(env: Env, expected: PartDigest) {
  const { part, differences } = await readIfWhole<Line>(env, expected.name);
  if (part === null) {
    return { rows: [], differences };
  }
  const isSame = (await digestIn(part.lines, expected.name)) === expected.sha256;
  return { rows: part.lines, differences: isSame ? [] : [`${expected.name} has other lines`] };
}

/** The manifest's digest of an audit log is that of its entries after their retention. */
function digestIn(lines: readonly unknown[], name: string): Promise<string> {
  const isAudit = DATABASES.some((database) => name.startsWith(auditPrefix(database)));
  return digestOf(isAudit ? withoutAddresses(lines as readonly RowLine[]) : lines);
}

/** Brings back a part of a register: refunds or payment links. */
export async function restoreRegisterPart(
  env: Env,
  { parts, ...tenant }: RegisterExport,
  part: number,
) {
  const digest = parts[part];
  const register = registerOf(env, tenant);
  if (digest !== undefined && isRegisterPart(digest.name, 'links')) {
    const { rows: links, differences } = await linesOf<LinkLine>(env, digest);
    await register.restore({ links });
    return { table: 'payment_links', rows: links.length, differences };
  }
  const { rows, differences } =
    digest === undefined ? { rows: [], differences: [] } : await linesOf<RefundLine>(env, digest);
  const refunds = rows.map(refundOf);
  await register.restore({ refunds });
  return { table: 'refunds', rows: rows.length, differences };
}

function refundOf(line: RefundLine) {
  return {
    id: line.refund_unique_id,
    paymentUniqueId: line.payment_unique_id,
    stage: line.stage,
    amountMinor: line.amount_minor,
    currency: line.currency,
    day: line.day,
  };
}
