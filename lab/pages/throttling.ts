import type { Page } from 'playwright-core';

/**
 * Slow 4G as in Lighthouse's mobile preset, applied by DevTools: `throttling.mobileSlow4G` in its
 * core/config/constants.js. The line has a round trip of 150 ms and 1.6 Mbit/s down, 750 kbit/s up.
 * DevTools delays whole requests and ignores handshakes and packets, hence Lighthouse's factors.
 */
const ROUND_TRIP_MS = 150;
const LATENCY_FACTOR = 3.75;
const THROUGHPUT_FACTOR = 0.9;
export const LATENCY_MS = ROUND_TRIP_MS * LATENCY_FACTOR;
export const DOWNLOAD_KBIT_PER_SECOND = 1.6 * 1024 * THROUGHPUT_FACTOR;
export const UPLOAD_KBIT_PER_SECOND = 750 * THROUGHPUT_FACTOR;

/** The same preset's `cpuSlowdownMultiplier`. */
export const CPU_SLOWDOWN = 4;

/** Throttles everything that the page loads from now on. */
export async function throttle(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: bytesPerSecond(DOWNLOAD_KBIT_PER_SECOND),
    uploadThroughput: bytesPerSecond(UPLOAD_KBIT_PER_SECOND),
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
}

/** Lighthouse's kbit has 1,024 bits (core/lib/emulation.js). */
function bytesPerSecond(kbitPerSecond: number): number {
  return Math.floor((kbitPerSecond * 1024) / 8);
}
