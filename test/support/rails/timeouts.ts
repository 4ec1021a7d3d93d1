import { type Mock, onTestFinished, vi } from 'vitest';
import { silences } from '../../../scripts/stand-ins/stand-in.ts';

/** Until the test is over no timeout of a call runs out by itself: the test ends them all. */
export function holdTimeouts(): {
  readonly timeout: Mock<typeof AbortSignal.timeout>;
  end(): void;
} {
  const running = new Set<AbortController>();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController();
    running.add(controller);
    return controller.signal;
  });
  onTestFinished(() => timeout.mockRestore());
  return {
    timeout,
    end() {
      for (const controller of running) {
        controller.abort(new DOMException('no answer in time', 'TimeoutError'));
      }
      running.clear();
    },
  };
}

/** The same, and a stand-in's silence ends them: the provider did not answer, and no test waits. */
export function endTimeoutsOnSilence(): Mock<typeof AbortSignal.timeout> {
  const { timeout, end } = holdTimeouts();
  silences.addEventListener('silence', end);
  onTestFinished(() => silences.removeEventListener('silence', end));
  return timeout;
}
