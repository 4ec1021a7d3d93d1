import type { ComponentChildren, VNode } from 'preact';
import { utf8 } from '../../../src/kit/crypto/encoding.ts';
import { type Pages, readAhead } from '../../elements/read-ahead.ts';
import type { DeskCall } from './call.ts';
import { answerDesk, readHeader } from './frame.tsx';

/** Pages with a part that takes long to read: they are sent in stages, and need no script. */

/** Around the part, in the rendered page. No text has this character. */
const EDGE = '\ufdd0';

/** Where the stages stand. Styles hide each one that another follows. */
export function Stages({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="stages">
      {EDGE}
      {children}
      {EDGE}
    </div>
  );
}

/**
 * A page with `Stages`, and each stage when it is there. The answer waits for the first one, so that
 * what is refused has the page of a problem. If a later one fails, `broken` is the last: whoever
 * reads the stages logs why.
 */
export async function answerInStages(
  call: DeskCall,
  pageWith: (stage: VNode) => VNode,
  stages: AsyncGenerator<VNode, void, void>,
  broken: VNode,
): Promise<Response> {
  const read = await readAhead(stages);
  const header = readHeader(call);
  const rendered = (stage: VNode) => answerDesk(call, pageWith(stage), header);
  const page = await rendered(broken);
  const [before = '', , after = ''] = (await page.text()).split(EDGE);
  async function* parts() {
    yield before;
    for await (const stage of untilBroken(read, broken)) {
      const [, part = ''] = (await (await rendered(stage)).text()).split(EDGE);
      yield part;
    }
    yield after;
  }
  const sent = parts();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await sent.next();
      if (done === true) {
        controller.close();
      } else {
        controller.enqueue(utf8(value));
      }
    },
    async cancel() {
      await read.return();
    },
  });
  return new Response(body, page);
}

async function* untilBroken(read: Pages<VNode>, broken: VNode) {
  try {
    for (let next = await read.next(); next.done !== true; next = await read.next()) {
      yield next.value;
    }
  } catch {
    yield broken;
  }
}
