/** Whether this browser can draw the mesh. */
export function hasWebGL(): boolean {
  if (typeof WebGLRenderingContext === 'undefined' || typeof WebGL2RenderingContext === 'undefined') return false;
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('webgl2') ?? canvas.getContext('webgl');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return !!context;
}
