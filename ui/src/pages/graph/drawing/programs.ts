// What the graphics card draws: agents as squares and circles with an outline, bonds as curves that may be dashed.
// Both also draw themselves in the colour of their number where nobody sees it: that is how the pointer finds them.

import { EdgeProgram, NodeProgram } from 'sigma/rendering';
import type { EdgeDisplayData, NodeDisplayData, RenderParams } from 'sigma/types';
import { floatColor } from 'sigma/utils';

const { FLOAT, UNSIGNED_BYTE, TRIANGLE_STRIP } = WebGLRenderingContext;

type Info = { gl: WebGLRenderingContext; uniformLocations: Record<string, WebGLUniformLocation> };

function setUniforms(params: RenderParams, { gl, uniformLocations: at }: Info) {
  gl.uniformMatrix3fv(at.u_matrix!, false, params.matrix);
  gl.uniform1f(at.u_scale!, 1 / params.sizeRatio);
  gl.uniform1f(at.u_pixel!, params.correctionRatio * 2);
}

const uniforms = ['u_matrix', 'u_scale', 'u_pixel'] as const;

const bytes = { size: 4, type: UNSIGNED_BYTE, normalized: true };

export type AgentLook = { fill: string; round: boolean; dashed: boolean };

const agentVertex = `
attribute vec4 a_id;
attribute vec4 a_color;
attribute vec4 a_fill;
attribute vec2 a_position;
attribute float a_size;
attribute float a_look;
attribute vec2 a_corner;
uniform mat3 u_matrix;
uniform float u_scale;
uniform float u_pixel;
varying vec4 v_color;
varying vec4 v_fill;
varying vec2 v_at;
varying float v_half;
varying float v_look;
void main() {
  v_half = max(a_size * u_scale, 3.5);
  v_at = a_corner * (v_half + 2.0);
  v_look = a_look;
  gl_Position = vec4((u_matrix * vec3(a_position + v_at * u_pixel, 1.0)).xy, 0.0, 1.0);
  #ifdef PICKING_MODE
  v_color = a_id;
  #else
  v_color = a_color;
  #endif
  v_fill = a_fill;
  v_color.a *= 255.0 / 254.0;
  v_fill.a *= 255.0 / 254.0;
}`;

const agentFragment = `
precision highp float;
varying vec4 v_color;
varying vec4 v_fill;
varying vec2 v_at;
varying float v_half;
varying float v_look;
void main() {
  bool isRound = mod(v_look, 2.0) > 0.5;
  bool isDashed = v_look > 1.5;
  float corner = isRound ? v_half : min(v_half * 0.3, 14.0);
  vec2 q = abs(v_at) - vec2(v_half - corner);
  float outside = length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - corner;
  #ifdef PICKING_MODE
  if (outside > 0.0) discard;
  gl_FragColor = v_color;
  #else
  float shape = 1.0 - smoothstep(-0.6, 0.6, outside);
  float line = smoothstep(-0.6, 0.6, outside + clamp(v_half * 0.09, 1.1, 3.0));
  if (isDashed && v_half > 6.0) {
    vec2 side = abs(v_at);
    float along = isRound ? atan(v_at.y, v_at.x) / 3.14159265 * 8.0
      : (side.x > side.y ? v_at.y : v_at.x) / v_half * 2.5 + 0.5;
    float part = abs(fract(along) - 0.5);
    line *= smoothstep(0.14, 0.2, part);
  }
  vec4 color = mix(v_fill, v_color, line);
  float alpha = color.a * shape;
  gl_FragColor = vec4(color.rgb * alpha, alpha);
  #endif
}`;

export class AgentProgram extends NodeProgram<(typeof uniforms)[number]> {
  getDefinition() {
    return {
      VERTICES: 4,
      VERTEX_SHADER_SOURCE: agentVertex,
      FRAGMENT_SHADER_SOURCE: agentFragment,
      METHOD: TRIANGLE_STRIP,
      UNIFORMS: uniforms,
      ATTRIBUTES: [
        { name: 'a_position', size: 2, type: FLOAT },
        { name: 'a_size', size: 1, type: FLOAT },
        { name: 'a_look', size: 1, type: FLOAT },
        { name: 'a_fill', ...bytes },
        { name: 'a_color', ...bytes },
        { name: 'a_id', ...bytes },
      ],
      CONSTANT_ATTRIBUTES: [{ name: 'a_corner', size: 2, type: FLOAT }],
      CONSTANT_DATA: [
        [-1, -1],
        [1, -1],
        [-1, 1],
        [1, 1],
      ],
    };
  }
  processVisibleItem(index: number, at: number, data: NodeDisplayData & Partial<AgentLook>) {
    const look = (data.round ? 1 : 0) + (data.dashed ? 2 : 0);
    this.array.set([data.x, data.y, data.size, look, floatColor(data.fill ?? data.color), floatColor(data.color), index], at);
  }
  setUniforms(params: RenderParams, info: Info) {
    setUniforms(params, info);
  }
}

export type BondLook = { bend: number; dashed: boolean };

/** Into how many straight pieces a curve is cut. */
const pieces = 14;

const bondVertex = `
attribute vec4 a_id;
attribute vec4 a_color;
attribute vec2 a_start;
attribute vec2 a_end;
attribute float a_size;
attribute float a_bend;
attribute float a_dash;
attribute vec2 a_along;
uniform mat3 u_matrix;
uniform float u_scale;
uniform float u_pixel;
varying vec4 v_color;
varying float v_across;
varying float v_along;
varying float v_half;
varying float v_dash;
void main() {
  float t = a_along.x;
  vec2 way = a_end - a_start;
  vec2 knee = (a_start + a_end) * 0.5 + vec2(-way.y, way.x) * a_bend;
  vec2 at = (1.0 - t) * (1.0 - t) * a_start + 2.0 * t * (1.0 - t) * knee + t * t * a_end;
  vec2 run = (1.0 - t) * (knee - a_start) + t * (a_end - knee);
  vec2 normal = length(run) > 0.0 ? normalize(vec2(-run.y, run.x)) : vec2(0.0);
  v_half = max(a_size * clamp(u_scale, 0.3, 2.0), 0.9) * 0.5;
  #ifdef PICKING_MODE
  v_half = max(v_half, 4.0);
  v_color = a_id;
  #else
  v_color = a_color;
  #endif
  v_color.a *= 255.0 / 254.0;
  v_across = a_along.y * (v_half + 1.0);
  v_along = t * length(way) * (1.0 + a_bend * a_bend * 0.66) / u_pixel;
  v_dash = a_dash;
  gl_Position = vec4((u_matrix * vec3(at + normal * v_across * u_pixel, 1.0)).xy, 0.0, 1.0);
}`;

const bondFragment = `
precision highp float;
varying vec4 v_color;
varying float v_across;
varying float v_along;
varying float v_half;
varying float v_dash;
void main() {
  #ifdef PICKING_MODE
  gl_FragColor = v_color;
  #else
  float alpha = v_color.a * (1.0 - smoothstep(v_half - 0.5, v_half + 0.5, abs(v_across)));
  if (v_dash > 0.5) alpha *= 1.0 - smoothstep(3.4, 4.4, mod(v_along, 8.0));
  gl_FragColor = vec4(v_color.rgb * alpha, alpha);
  #endif
}`;

export class BondProgram extends EdgeProgram<(typeof uniforms)[number]> {
  getDefinition() {
    return {
      VERTICES: (pieces + 1) * 2,
      VERTEX_SHADER_SOURCE: bondVertex,
      FRAGMENT_SHADER_SOURCE: bondFragment,
      METHOD: TRIANGLE_STRIP,
      UNIFORMS: uniforms,
      ATTRIBUTES: [
        { name: 'a_start', size: 2, type: FLOAT },
        { name: 'a_end', size: 2, type: FLOAT },
        { name: 'a_size', size: 1, type: FLOAT },
        { name: 'a_bend', size: 1, type: FLOAT },
        { name: 'a_dash', size: 1, type: FLOAT },
        { name: 'a_color', ...bytes },
        { name: 'a_id', ...bytes },
      ],
      CONSTANT_ATTRIBUTES: [{ name: 'a_along', size: 2, type: FLOAT }],
      CONSTANT_DATA: Array.from({ length: (pieces + 1) * 2 }, (_, i) => [Math.floor(i / 2) / pieces, i % 2 === 0 ? 1 : -1]),
    };
  }
  processVisibleItem(
    index: number,
    at: number,
    from: NodeDisplayData,
    to: NodeDisplayData,
    data: EdgeDisplayData & Partial<BondLook>,
  ) {
    this.array.set(
      [from.x, from.y, to.x, to.y, data.size, data.bend ?? 0, data.dashed ? 1 : 0, floatColor(data.color), index],
      at,
    );
  }
  setUniforms(params: RenderParams, info: Info) {
    setUniforms(params, info);
  }
}

/** A point of such a curve, from 0 at its beginning to 1 at its end. y grows upwards here, as in the graph. */
export function pointOn(from: { x: number; y: number }, to: { x: number; y: number }, bend: number, t: number) {
  const knee = { x: (from.x + to.x) / 2 - (to.y - from.y) * bend, y: (from.y + to.y) / 2 + (to.x - from.x) * bend };
  const along = (a: number, k: number, b: number) => (1 - t) ** 2 * a + 2 * t * (1 - t) * k + t ** 2 * b;
  return { x: along(from.x, knee.x, to.x), y: along(from.y, knee.y, to.y) };
}
