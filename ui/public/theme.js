// Runs before the first paint, so that the page never shows in the wrong colours. src/app/theme.ts changes them later.
{
  let theme = 'system';
  try {
    theme = localStorage.getItem('nexus.theme') ?? theme;
  } catch {
    // a browser that keeps nothing
  }
  const dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
}
