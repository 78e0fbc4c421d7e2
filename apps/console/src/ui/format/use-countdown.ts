import { useEffect, useState } from 'react';

/** The server mails one address once in so long. */
export const RESEND_WAIT_SECONDS = 30;

/**
 * Seconds until something may be done again; 0: now. It counts by the clock, whatever is drawn in between.
 * @param begun seconds that it counts from the beginning
 */
export function useCountdown(begun = 0): [left: number, start: (seconds: number) => void] {
  const [now, setNow] = useState(() => Date.now());
  const [end, setEnd] = useState(now + begun * 1000);
  const left = Math.max(0, Math.ceil((end - now) / 1000));
  const running = left > 0;
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [running]);
  const start = (seconds: number) => {
    setNow(Date.now());
    setEnd(Date.now() + seconds * 1000);
  };
  return [left, start];
}
