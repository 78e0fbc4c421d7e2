// Sets the colour scheme before the first paint. It is a separate file because the CSP forbids inline
// scripts.
(() => {
  let mode = 'system';
  try {
    mode = localStorage.getItem('theme') ?? 'system';
  } catch {
    // Storage is blocked: follow the system's setting.
  }
  const dark = mode === 'dark' || (mode !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  const root = document.documentElement;
  root.setAttribute('data-color-scheme', dark ? 'dark' : 'light');
  root.style.colorScheme = dark ? 'dark' : 'light';
  root.style.backgroundColor = dark ? '#0E1116' : '#F6F7F9';
})();
