import { useEffect, useState } from 'react';

/** Interval at which the server sends mails to one address. */
export const RESEND_WAIT_SECONDS = 30;

/**
 * Returns the seconds that are left of a countdown by the clock; 0 when it is over.
 * @param begun seconds of a countdown that starts at once
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
