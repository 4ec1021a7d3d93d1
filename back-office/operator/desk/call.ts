import type { Form } from '../../../src/http/form.ts';
import type { PageView } from '../../ui/page.tsx';
import type { OperatorCall } from '../call.ts';

/** An authenticated request to the desk. For a post, origin and form token are checked. */
export interface DeskCall extends OperatorCall {
  readonly view: PageView;
  /** The fields that were posted; empty for anything but a post. */
  readonly form: Form;
}

/** A page or form of the desk. */
export interface DeskRoute {
  /** GET answers HEAD as well. */
  readonly method: 'GET' | 'POST';
  readonly path: `/operator${string}`;
  readonly handle: (call: DeskCall) => Promise<Response>;
}
