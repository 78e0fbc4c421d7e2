import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { Component, lazy, type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  children: ReactNode;
  /** Value whose change clears the error, for instance the path. */
  resetKey?: string;
}

/** Contains the error of a component, so that the rest of the screen stays usable. */
export class ErrorBoundary extends Component<Props, { error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate(previous: Props) {
    if (previous.resetKey !== this.props.resetKey && this.state.error !== undefined) this.retry();
  }

  retry = () => this.setState({ error: undefined });

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return <FailedScreen error={this.state.error} onRetry={this.retry} />;
  }
}

const ErrorPanel = lazy(() =>
  import('./error-panel-and-link-alert.tsx').then(({ ErrorPanel }) => ({ default: ErrorPanel })),
);

/** Shows the error of a screen; after an update of the server it offers a reload instead of a retry. */
export function FailedScreen({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (isOutdated(error)) return <OutdatedPanel />;
  return (
    <Suspense fallback={null}>
      <ErrorPanel error={error} onRetry={onRetry} />
    </Suspense>
  );
}

/** Error messages of browsers and of Vite's loader for a file of the console that cannot be loaded. */
const missingFile = /dynamically imported module|importing a module script failed|unable to preload css/i;

/** Returns whether a file of the console could not be loaded, usually because the server was updated. */
function isOutdated(error: unknown): boolean {
  return error instanceof Error && missingFile.test(error.message);
}

/** Asks for a reload. It imports nothing lazily, because loading is what failed. */
function OutdatedPanel() {
  const { t } = useTranslation();
  return (
    <Box
      role="alert"
      sx={{
        display: 'grid',
        justifyItems: 'start',
        gap: 1,
        p: 2,
        borderRadius: 1,
        border: 1,
        borderColor: 'divider',
        bgcolor: 'background.raised',
      }}
    >
      <Typography variant="h2">{t('outdated.title')}</Typography>
      <Typography>{t('outdated.text')}</Typography>
      <Button variant="contained" onClick={() => location.reload()}>
        {t('outdated.reload')}
      </Button>
    </Box>
  );
}
