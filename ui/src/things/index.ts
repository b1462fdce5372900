// What the inspector can show: one file for each kind of thing and one line here.

import { type ComponentType, lazy } from 'react';
import type { Kind } from '@/app/address';

export const things: Record<Kind, ComponentType<{ id: string }>> = {
  agent: lazy(() => import('./agent')),
  message: lazy(() => import('./message')),
  handoff: lazy(() => import('./handoff')),
  task: lazy(() => import('./task')),
  event: lazy(() => import('./event')),
  artifact: lazy(() => import('./artifact')),
  webhook: lazy(() => import('./webhook')),
  workspace: lazy(() => import('./workspace')),
  session: lazy(() => import('./session')),
  topic: lazy(() => import('./topic')),
  post: lazy(() => import('./post')),
};
