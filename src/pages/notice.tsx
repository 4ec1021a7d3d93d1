import { Document } from './document.tsx';
import { Headline } from './elements.tsx';
import type { Messages } from './messages.ts';

export type NoticeKind = 'unknown' | 'error' | 'busy' | 'bad_form' | 'too_many_tries';

/** A page about no payment in particular: an unknown link, an error, too many requests. */
export function NoticePage(props: {
  readonly text: Messages;
  readonly kind: NoticeKind;
  /** Where another try makes sense, or null. */
  readonly retryPath: string | null;
}) {
  const { text, kind, retryPath } = props;
  const words = {
    unknown: [text.unknownTitle, text.unknownLead],
    error: [text.errorTitle, text.errorLead],
    busy: [text.busyTitle, text.busyLead],
    bad_form: [text.badFormTitle, text.badFormLead],
    too_many_tries: [text.tooManyTitle, text.tooManyLead],
  } as const satisfies Record<NoticeKind, readonly [string, string]>;
  const [title, lead] = words[kind];
  return (
    <Document text={text} title={title} isTest={false} path={retryPath}>
      <main class="sheet">
        <div class="task">
          <Headline tone={kind === 'busy' || kind === 'too_many_tries' ? 'wait' : 'plain'}>
            {title}
          </Headline>
          <p>{lead}</p>
          {retryPath !== null && (
            <p>
              <a class="button" href={retryPath}>
                {text.tryAgain}
              </a>
            </p>
          )}
        </div>
      </main>
    </Document>
  );
}
