import * as v from 'valibot';
import type { Method } from '../../engine/domain/method.ts';
import { record } from '../../kit/audit/log.ts';
import { bytesFromBase64 } from '../../kit/crypto/encoding.ts';
import { dayText } from '../../kit/ethiopian-time.ts';
import { fieldError } from '../../kit/http/field-error.ts';
import { shortText, wholeNumber } from '../../kit/http/fields.ts';
import { found } from '../../kit/http/problem.ts';
import { body, checked } from '../../kit/http/strict-body.ts';
import type { Environment } from '../../kit/tenant.ts';
import { type ActionCall, action, entryBy, type Gateway, type Target } from '../operator/call.ts';
import {
  decisionIdField,
  environmentField,
  lineField,
  methodField,
  pathPart,
  patternField,
} from '../operator/fields.ts';
import { type ItemPage, limitField } from '../operator/page-query.ts';
import { operationProblem } from '../operator/problems.ts';
import { filesOf } from './client.ts';
import { FILE_BYTES_MAX, type FileStatus, PIECE_BYTES, type StoredFile } from './file-table.ts';
import { findPayments } from './find-payments.ts';
import { type Judged, judge } from './judge.ts';
import { beginReading, type FileLine, readStep } from './lines.ts';
import { FileProblem, type FileProblemAt, fileProblemText } from './problem.ts';
import { type Profile, profileField } from './profile.ts';
import { cellText, DELIMITERS, decoderOf, rowsIn } from './rows.ts';

/** Profiles and files of one method, as operators store and upload them. */

/** Of a profile or a file. */
const NAME_CHARACTERS_MAX = 200;

/** The method of one environment that the path names. Problem 404 for a malformed path. */
export interface OfMethod {
  readonly environment: Environment;
  readonly method: Method;
}

export function methodIn(target: Target): OfMethod {
  return {
    environment: pathPart(environmentField, target.environment),
    method: pathPart(methodField, target.method),
  };
}

export function filesIn({ env }: Pick<Gateway, 'env'>, { environment, method }: OfMethod) {
  return filesOf(env, environment, method);
}

export function providerProfiles(gateway: Gateway, target: Target): Promise<readonly Profile[]> {
  return filesIn(gateway, methodIn(target)).profiles();
}

/** Replaces the profile with its name. */
export const storeProviderProfile = action(profileField, async (call, target, profile) => {
  const of = methodIn(target);
  await recordChange(call, of, profile.name, false);
  await filesIn(call, of).storeProfile(profile);
  return profile;
});

/** Files that were uploaded with it keep it. */
export const deleteProviderProfile = action(
  body({ name: shortText(NAME_CHARACTERS_MAX) }),
  async (call, target, { name }) => {
    const of = methodIn(target);
    await profileNamed(call, of, name);
    await recordChange(call, of, name, true);
    await filesIn(call, of).deleteProfile(name);
    return { name };
  },
);

function recordChange(call: ActionCall, of: OfMethod, name: string, isDeleted: boolean) {
  const { environment, method } = of;
  const entry = { merchantId: null, environment, target: name, detail: { method, isDeleted } };
  return record(call.env.DB, entryBy(call, { ...entry, action: 'provider_profile.changed' }));
}

async function profileNamed(call: ActionCall, of: OfMethod, name: string): Promise<Profile> {
  const profile = await filesIn(call, of).profile(name);
  if (profile === null) {
    throw operationProblem('provider_profile_unknown', { name, method: of.method });
  }
  return profile;
}

const fileIdField = patternField(/^[A-Za-z0-9-]{8,64}$/, 'Must be a UUID.');
const base64 = patternField(/^[A-Za-z0-9+/]*={0,2}$/, 'Must be base64.');

/** A request of the API has 64 KB. */
export const PREVIEW_BYTES_MAX = 32 * 1_024;
const PREVIEW_ROWS = 12;
const PREVIEW_LINES = 20;

export interface PreviewedLine extends FileLine, Pick<Judged, 'outcome' | 'expectedMinor'> {
  readonly merchantId: string | null;
  readonly uniqueId: string | null;
}

export interface Preview {
  /** The first rows, with all their columns. */
  readonly rows: readonly (readonly string[])[];
  /** What the first lines would become. */
  readonly lines: readonly PreviewedLine[];
  readonly problem: ShownProblem | null;
}

export type ShownProblem = FileProblemAt & { readonly text: string };

/**
 * Reads the beginning of a file by a stored profile or a draft, or that of an upload by its own profile.
 * Changes nothing.
 */
export const previewProviderFile = action(
  body({
    profile: v.optional(shortText(NAME_CHARACTERS_MAX)),
    draft: v.optional(profileField),
    base64: v.optional(
      v.pipe(
        base64,
        v.maxLength(Math.ceil(PREVIEW_BYTES_MAX / 3) * 4, fieldError('too_long', 'Is too long.')),
      ),
    ),
    fileId: v.optional(fileIdField),
  }),
  async (
    call,
    target,
    { profile: name = '', draft, base64: text = '', fileId },
  ): Promise<Preview> => {
    const of = methodIn(target);
    const uploaded =
      fileId === undefined
        ? null
        : found(await filesIn(call, of).beginning(fileId, PREVIEW_BYTES_MAX));
    const profile = uploaded?.profile ?? draft ?? (await profileNamed(call, of, name));
    const bytes = uploaded?.bytes ?? bytesFromBase64(text);
    const rows: (readonly string[])[] = [];
    try {
      const isEnd = bytes.length < PREVIEW_BYTES_MAX;
      const state = beginReading(profile, bytes);
      const from = bytes.subarray(state.place.offset);
      const decoder = decoderOf(state.encoding);
      for (const row of rowsIn(
        from,
        state.place,
        state.encoding,
        DELIMITERS[profile.delimiter],
        isEnd,
      )) {
        rows.push(row.cells.map((_, index) => cellText(row, index, decoder)));
        if (rows.length === PREVIEW_ROWS) {
          break;
        }
      }
      const step = { isEnd, linesMax: PREVIEW_LINES, nowMs: call.nowMs };
      const { lines } = readStep(profile, state, from, step);
      const judged = await judgedLines(call, of, profile, lines);
      return { rows, lines: judged, problem: null };
    } catch (error) {
      if (!(error instanceof FileProblem)) {
        throw error;
      }
      return { rows, lines: [], problem: shownProblem(error) };
    }
  },
);

async function judgedLines(
  { env }: ActionCall,
  { environment, method }: OfMethod,
  { fee }: Profile,
  lines: readonly FileLine[],
): Promise<readonly PreviewedLine[]> {
  const known = await findPayments(env, environment, lines);
  return lines.map((line) => {
    const payments = known.of(line).flatMap((payment) => known.factsOf(payment) ?? []);
    const judged = judge(line, { method, payments, fee: fee ?? null, othersOf: () => [] });
    const { merchantId = null, uniqueId = null } = judged.payment ?? {};
    const { outcome, expectedMinor } = judged;
    return { ...line, outcome, expectedMinor, merchantId, uniqueId };
  });
}

function shownProblem({ code, line, column, found: text }: FileProblemAt): ShownProblem {
  const at = { code, line, column, found: text };
  return { ...at, text: fileProblemText(at) };
}

/** What operators see of a file. */
export interface ProviderFile {
  readonly id: string;
  readonly name: string;
  readonly profile: string;
  readonly operator: string;
  readonly begunAtMs: number;
  readonly status: FileStatus;
  readonly bytes: number;
  /** Payments and refunds; null until the whole file was read. */
  readonly lines: number | null;
  /** How many of them the present pass has read. */
  readonly linesDone: number;
  readonly fromDay: string | null;
  readonly toDay: string | null;
  /** Merchants whose books did not answer: their payments are not compared. */
  readonly unanswered: number;
  /** Tries of a step that failed and is repeated. */
  readonly failures: number;
  readonly problem: ShownProblem | null;
}

function shownFile(file: StoredFile): ProviderFile {
  const { id, name, operator, begunAtMs, status, bytes, lines, unanswered, failures } = file;
  const isMatched = status === 'comparing' || status === 'done';
  return {
    ...{ id, name, profile: file.profile.name, operator, begunAtMs, status, bytes, lines },
    linesDone: isMatched ? (lines ?? 0) : (file.read?.lines ?? 0),
    fromDay: file.fromDay === null ? null : dayText(file.fromDay),
    toDay: file.toDay === null ? null : dayText(file.toDay),
    ...{ unanswered, failures, problem: file.problem && shownProblem(file.problem) },
  };
}

/** Begins an upload. The entry is written first; a repeated call changes nothing. */
export const beginProviderFile = action(
  body({
    fileId: decisionIdField,
    name: lineField(NAME_CHARACTERS_MAX),
    profile: shortText(NAME_CHARACTERS_MAX),
  }),
  async (call, target, { fileId: id, name, profile: profileName }) => {
    const of = methodIn(target);
    const profile = await profileNamed(call, of, profileName);
    const { environment, method } = of;
    const detail = { method, profile: profileName, fileId: id };
    const entry = { merchantId: null, environment, target: name, detail } as const;
    await record(call.env.DB, entryBy(call, { ...entry, action: 'provider_file.uploaded' }));
    const begun = { operator: call.actor.name, begunAtMs: call.nowMs };
    await filesIn(call, of).begin({ id, ...of, name, profile, ...begun });
    return { fileId: id, pieceBytes: PIECE_BYTES };
  },
);

const fileIdIn = ({ fileId }: Target) => pathPart(fileIdField, fileId);

/** Stores a piece of the file, counted from 0. All but the last have PIECE_BYTES. */
export const uploadProviderPiece = action(
  body({ number: wholeNumber(0, FILE_BYTES_MAX / PIECE_BYTES - 1), base64 }),
  async (call, target, { number, base64: text }) => {
    const bytes = bytesFromBase64(text);
    if (bytes.length === 0 || bytes.length > PIECE_BYTES) {
      throw operationProblem('provider_piece_size', { bytes: PIECE_BYTES });
    }
    const isStored = await filesIn(call, methodIn(target)).upload(fileIdIn(target), number, bytes);
    found(isStored || null);
    return { number };
  },
);

/** Ends the upload: the gateway begins to read the file. */
export const finishProviderFile = action(body({}), async (call, target) => {
  const files = filesIn(call, methodIn(target));
  found(await files.file(fileIdIn(target)));
  const file = await files.finish(fileIdIn(target));
  if (file === null) {
    throw operationProblem('provider_file_incomplete');
  }
  return shownFile(file);
});

const filesQuery = body({
  limit: limitField,
  cursor: v.optional(patternField(/^\d{1,15}$/, 'Is not a cursor.')),
});

/** The files of a method, the newest first. */
export async function providerFiles(
  gateway: Gateway,
  target: Target,
  query: Readonly<Record<string, string>>,
): Promise<ItemPage<ProviderFile>> {
  const { limit, cursor } = checked(filesQuery, query);
  const beforeMs = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
  const files = await filesIn(gateway, methodIn(target)).files(beforeMs, limit);
  const nextCursor = files.length < limit ? null : String(files.at(-1)?.begunAtMs ?? '');
  return { items: files.map(shownFile), nextCursor };
}

export async function providerFile(gateway: Gateway, target: Target): Promise<ProviderFile> {
  return shownFile(found(await filesIn(gateway, methodIn(target)).file(fileIdIn(target))));
}
