import { useLocation } from '@tanstack/react-router';

/** Without the search parameters: whoever asks for the whole address is drawn anew whenever a list is sorted. */
export function usePathname(): string {
  return useLocation({ select: ({ pathname }) => pathname });
}
