import { type Mock, onTestFinished, vi } from 'vitest';
import { silences } from '../../../scripts/stand-ins/stand-in.ts';

/** Timeouts of calls fire only when the test calls `end`, which fires all of them. */
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

/** The same, but a stand-in's silence calls `end`: the provider did not answer, and no test waits. */
export function endTimeoutsOnSilence(): Mock<typeof AbortSignal.timeout> {
  const { timeout, end } = holdTimeouts();
  silences.addEventListener('silence', end);
  onTestFinished(() => silences.removeEventListener('silence', end));
  return timeout;
}
