import { paths, userPath } from '../../../paths.ts';
import { Link } from '../../../ui/display/links.tsx';
import { Mono } from '../../../ui/display/mono.tsx';

/** Returns the screen for an entry's target, if it has one. */
function placeOf(kind: string, id: string): { to: string; search?: Record<string, string> } | undefined {
  if (!/^\d+$/.test(id)) return undefined;
  if (kind === 'user') return { to: userPath(id) };
  return kind === 'channel' ? { to: paths.channels, search: { open: id } } : undefined;
}

/** Shows an entry's target, such as `user:7`, as a link where it has a screen. */
export function EntryTarget({ target }: { target: string }) {
  const [kind = '', id = ''] = target.split(':', 2);
  const place = placeOf(kind, id);
  if (place === undefined) return <Mono>{target}</Mono>;
  return (
    <span onClick={(event) => event.stopPropagation()} onKeyDown={(event) => event.stopPropagation()}>
      <Link {...place} color="inherit">
        <Mono>{target}</Mono>
      </Link>
    </span>
  );
}
