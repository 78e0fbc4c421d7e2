import Box from '@mui/material/Box';
import Dialog from '@mui/material/Dialog';
import InputBase from '@mui/material/InputBase';
import LinearProgress from '@mui/material/LinearProgress';
import List from '@mui/material/List';
import ListItemButton from '@mui/material/ListItemButton';
import ListSubheader from '@mui/material/ListSubheader';
import Typography from '@mui/material/Typography';
import type { Right } from '@switchyard/contract/accounts/permissions';
import { IconSearch } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mayAccess } from '../../access.ts';
import { apiKeyPaletteSource } from '../../features/accounts/api-keys/queries.ts';
import { useCurrentUser } from '../../features/accounts/session/queries.ts';
import { userPaletteSource } from '../../features/accounts/users/queries.ts';
import { modelPaletteSource } from '../../features/catalog/models/queries.ts';
import { channelPaletteSource } from '../../features/channels/queries.ts';
import { recordPaletteSource } from '../../features/usage/usage-records/queries.ts';
import type shell from '../../i18n/en_US/shell.json';
import { channelPath, paths } from '../../paths.ts';
import { isComposing } from '../../ui/browser/ime-composition.ts';
import { useDebounced } from '../../ui/browser/use-debounced.ts';
import { Name } from '../../ui/display/formatted-values.tsx';
import type { PaletteResult, PaletteSource } from '../../ui/overlays/command-palette-result.ts';
import { isDestination, screenPath, screens } from '../screens.ts';
import { openPalette } from './command-palette-open-state.ts';

export function PaletteDialog() {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const { sections, searching } = usePaletteResults(text);
  const flat = sections.flatMap(({ results }) => results);
  const chosen = Math.min(active, flat.length - 1);

  const go = (result: PaletteResult | undefined) => {
    if (result === undefined) return;
    openPalette(false);
    void navigate({ to: result.to, search: result.search ?? {} });
  };
  const moveTo = (index: number) => {
    setActive(index);
    document.getElementById(`palette-${index}`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'ArrowDown') moveTo(Math.min(chosen + 1, flat.length - 1));
    else if (event.key === 'ArrowUp') moveTo(Math.max(chosen - 1, 0));
    else if (event.key === 'Enter') go(flat[chosen]);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog
      open
      onClose={() => openPalette(false)}
      slotProps={{ paper: { 'aria-label': t('palette.open') } }}
      maxWidth="sm"
      fullWidth
      sx={{ '& .MuiDialog-container': { alignItems: 'flex-start' } }}
    >
      <Box
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 1.5,
          px: 2,
          height: 52,
          borderBottom: 1,
          borderColor: 'divider',
        }}
      >
        <IconSearch size={18} />
        <InputBase
          autoFocus
          fullWidth
          placeholder={t('palette.placeholder')}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
          inputProps={{
            role: 'combobox',
            'aria-expanded': true,
            'aria-controls': 'palette-results',
            'aria-activedescendant': flat[chosen] === undefined ? undefined : `palette-${chosen}`,
            'aria-label': t('palette.placeholder'),
          }}
        />
      </Box>
      <Box sx={{ height: 2 }}>{searching && <LinearProgress sx={{ height: 2 }} />}</Box>
      <Box
        id="palette-results"
        role="listbox"
        aria-label={t('palette.results')}
        sx={{ maxHeight: 400, overflowY: 'auto', pb: 1 }}
      >
        {flat.length === 0 && !searching && (
          <Typography sx={{ p: 3, textAlign: 'center', color: 'text.secondary' }}>{t('palette.nothing')}</Typography>
        )}
        {sections.map(({ heading, results }) => (
          <List key={heading} component="div" dense disablePadding role="group" aria-label={heading}>
            <ListSubheader
              component="div"
              role="presentation"
              sx={{ bgcolor: 'background.raised', fontSize: '0.75rem', lineHeight: '30px' }}
            >
              {heading}
            </ListSubheader>
            {results.map((result) => {
              const index = flat.indexOf(result);
              return (
                <ListItemButton
                  key={result.id}
                  id={`palette-${index}`}
                  role="option"
                  aria-selected={index === chosen}
                  selected={index === chosen}
                  tabIndex={-1}
                  onMouseMove={() => setActive(index)}
                  onClick={() => go(result)}
                  sx={{ mx: 1, borderRadius: 1, gap: 2 }}
                >
                  <Typography variant="body2" noWrap sx={{ flexGrow: 1 }}>
                    <Name>{result.title}</Name>
                  </Typography>
                  <Typography variant="caption" noWrap sx={{ color: 'text.secondary' }}>
                    {result.detail}
                  </Typography>
                </ListItemButton>
              );
            })}
          </List>
        ))}
      </Box>
    </Dialog>
  );
}

interface PaletteSection {
  heading: string;
  results: PaletteResult[];
}

/**
 * Returns the screens and creatable records whose name contains the text, then the features' search results.
 */
function usePaletteResults(text: string): { sections: PaletteSection[]; searching: boolean } {
  const { t } = useTranslation('shell');
  const self = useCurrentUser();
  const asked = useDebounced(text.trim(), 200);
  const sources = paletteSources.filter((source) => mayAccess(self, source.access));
  const answers = useQueries({
    queries: sources.map((source) => ({
      queryKey: ['palette', source.heading, asked],
      queryFn: ({ signal }: { signal: AbortSignal }) => source.find(asked, signal),
      enabled: asked.length >= 2,
      retry: false,
    })),
  });
  const wanted = text.trim().toLowerCase();
  const pages = screens
    .filter((screen) => isDestination(screen) && mayAccess(self, screen.access))
    .map((screen) => ({
      id: screen.path,
      title: t(`screen.${screen.title}`),
      detail: t(`group.${screen.group}`),
      to: screenPath(screen),
    }))
    .filter((page) => page.title.toLowerCase().includes(wanted) || page.id.includes(wanted));
  const made = creations
    .filter((creation) => mayAccess(self, creation.access))
    .map(({ title, access: _access, ...target }) => ({
      id: `new ${title}`,
      title: t(`palette.create.${title}`),
      ...target,
    }))
    .filter((creation) => creation.title.toLowerCase().includes(wanted));
  const found = sources.map((source, index) => ({
    heading: t(`screen.${source.heading}`),
    results: asked.length >= 2 ? (answers[index]?.data ?? []) : [],
  }));
  return {
    sections: [
      { heading: t('palette.screens'), results: pages },
      { heading: t('palette.new'), results: made },
      ...found,
    ].filter(({ results }) => results.length > 0),
    searching: answers.some(({ isFetching }) => isFetching),
  };
}

/** Sources that the command palette searches besides the list of screens. */
const paletteSources: readonly PaletteSource[] = [
  recordPaletteSource,
  apiKeyPaletteSource,
  channelPaletteSource,
  modelPaletteSource,
  userPaletteSource,
];

interface Creation {
  title: keyof typeof shell.palette.create;
  access: Right;
  to: string;
  search?: Record<string, string>;
}

const edit = { edit: 'new' };

/** Records that the command palette can create from any screen; each opens its screen with an empty form. */
const creations: readonly Creation[] = [
  { title: 'apiKey', access: 'user', to: paths.apiKeys, search: edit },
  { title: 'channel', access: 'channels.write', to: channelPath('new') },
  { title: 'user', access: 'users.write', to: paths.users, search: edit },
  { title: 'group', access: 'groups.write', to: paths.userGroups, search: edit },
  { title: 'price', access: 'prices.write', to: paths.prices, search: { show: 'new' } },
  { title: 'codes', access: 'codes.write', to: paths.redemptionCodes, search: edit },
];
