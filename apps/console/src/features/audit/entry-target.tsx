import { paths } from '../../paths.ts';
import { Link } from '../../ui/link.tsx';
import { Mono } from '../../ui/mono.tsx';

const screens: Readonly<Record<string, string>> = { user: paths.users, channel: paths.channels };

/** What an entry is about, `user:7`, as a way there where there is one. */
export function EntryTarget({ target }: { target: string }) {
  const [kind = '', id = ''] = target.split(':', 2);
  const to = screens[kind];
  if (to === undefined || !/^\d+$/.test(id)) return <Mono>{target}</Mono>;
  return (
    <span onClick={(event) => event.stopPropagation()} onKeyDown={(event) => event.stopPropagation()}>
      <Link to={to} search={{ open: id }} color="inherit">
        <Mono>{target}</Mono>
      </Link>
    </span>
  );
}
