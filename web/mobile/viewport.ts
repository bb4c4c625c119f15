/**
 * Keeps the page inside what is really seen: some phones lay their keyboard over the page instead of making it smaller.
 * Tells the height as `--seen-height`, and by `data-short` that there is little of it.
 */
const SHORT = 470;

export function followViewport(): void {
  const root = document.documentElement;
  const viewport = window.visualViewport;
  const apply = () => {
    const isZoomed = viewport !== null && viewport.scale > 1.01;
    const height = viewport === null || isZoomed ? window.innerHeight : viewport.height;
    root.style.setProperty('--seen-height', `${Math.round(height)}px`);
    root.style.setProperty('--seen-top', `${viewport === null || isZoomed ? 0 : Math.round(viewport.offsetTop)}px`);
    root.dataset.short = String(height < SHORT);
  };
  viewport?.addEventListener('resize', apply);
  viewport?.addEventListener('scroll', apply);
  window.addEventListener('resize', apply);
  apply();
}
