import { type Form, isFromOtherSite, readForm as readAnyForm } from '../../kit/http/form.ts';

/** A page's form has a few short fields. */
const RULES = { bytesMax: 4 * 1024, types: ['application/x-www-form-urlencoded'] } as const;

/**
 * The posted form, or null for anything that our own pages do not send. The link in the path is the
 * first protection against forged posts. The origin check stops another site that knows the link.
 */
export async function readForm(request: Request): Promise<Form | null> {
  const form = isFromOtherSite(request) ? null : await readAnyForm(request, RULES);
  return form === 'too_large' ? null : form;
}
