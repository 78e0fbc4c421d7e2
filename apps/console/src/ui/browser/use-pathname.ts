import { useLocation } from '@tanstack/react-router';

/** Returns the path only: search parameters would render the component whenever a list is sorted. */
export function usePathname(): string {
  return useLocation({ select: ({ pathname }) => pathname });
}
