import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { AttentionCounts, Modes } from '../../../src/control/rpc/operator.ts';
import type { Form } from '../../../src/kit/http/form.ts';
import type { PostedFile } from '../../../src/kit/http/upload.ts';
import type { FactRow } from '../../ui/elements.tsx';
import type { OperatorCall } from '../call.ts';

/** An authenticated request to the desk. For a post, origin and form token are checked. */
export interface DeskCall extends OperatorCall {
  /** The fields that were posted; empty for anything but a post. */
  readonly form: Form;
  /** What was posted to a route that takes a file. */
  readonly file?: PostedFile;
}

/** A page or form of the desk. */
export interface DeskRoute {
  /** GET answers HEAD as well. */
  readonly method: 'GET' | 'POST';
  readonly path: `/operator${string}`;
  /** Its form is multipart/form-data, and ends with a file of at most FILE_BYTES_MAX. */
  readonly takesFile?: true;
  readonly handle: (call: DeskCall) => Promise<Response>;
}

/** The call whose page is being rendered, and what every page needs. */
export interface DeskPage extends DeskCall {
  /** What waits for the operator. */
  readonly counts: AttentionCounts;
  /** Unusual modes of the gateway, which every page names at its top. */
  readonly modes: Modes;
  /** What each form of the page brings back. */
  readonly token: string;
}

export const CurrentDesk = createContext<DeskPage | null>(null);

export function useDesk(): DeskPage {
  const desk = useContext(CurrentDesk);
  if (desk === null) {
    throw new Error('no page of the desk is being rendered');
  }
  return desk;
}

/** A note, a receipt and a token have less than 4 KiB. */
export const FORM_RULES = {
  bytesMax: 8 * 1024,
  types: ['application/x-www-form-urlencoded'],
} as const;

/** What the page of a form shows. */
export interface Shown {
  /** Called while the page is rendered. */
  readonly useFacts: () => readonly FactRow[];
  /** What fields hold at first, and what hidden fields carry. */
  readonly values: Readonly<Record<string, string>>;
}
