// Every page: one folder in src/pages and one line here.

import {
  Activity,
  Bot,
  FileText,
  House,
  Layers,
  LifeBuoy,
  ListTodo,
  type LucideIcon,
  Mail,
  MessageCircle,
  MessagesSquare,
  Search,
  Settings,
  Share2,
} from 'lucide-react';
import { type ComponentType, lazy } from 'react';

export type Page = {
  path: string;
  title: string;
  icon: LucideIcon;
  /** Pressed after g. */
  key: string;
  place: 'main' | 'foot';
  /** Shown in the bar of a phone; the rest is behind More. */
  phone?: boolean;
  /** Kinds of attention that this page settles: its count in the rail. */
  settles?: string[];
  Page: ComponentType;
};

const handoffs = ['lease_lapsing', 'verify', 'handoff_parked', 'handoff_waiting'];

export const pages: Page[] = [
  {
    path: '/',
    title: 'Overview',
    icon: House,
    key: 'o',
    place: 'main',
    phone: true,
    Page: lazy(() => import('@/pages/overview')),
  },
  {
    path: '/graph',
    title: 'Graph',
    icon: Share2,
    key: 'g',
    place: 'main',
    phone: true,
    Page: lazy(() => import('@/pages/graph')),
  },
  {
    path: '/conversations',
    title: 'Conversations',
    icon: MessagesSquare,
    key: 'c',
    place: 'main',
    phone: true,
    settles: ['mail_unread', 'mail_parked'],
    Page: lazy(() => import('@/pages/conversations')),
  },
  {
    path: '/handoffs',
    title: 'Hand-offs',
    icon: ListTodo,
    key: 'h',
    place: 'main',
    phone: true,
    settles: handoffs,
    Page: lazy(() => import('@/pages/handoffs')),
  },
  { path: '/topics', title: 'Topics', icon: MessageCircle, key: 't', place: 'main', Page: lazy(() => import('@/pages/topics')) },
  { path: '/messages', title: 'Messages', icon: Mail, key: 'm', place: 'main', Page: lazy(() => import('@/pages/messages')) },
  { path: '/events', title: 'Events', icon: Activity, key: 'e', place: 'main', Page: lazy(() => import('@/pages/events')) },
  {
    path: '/artifacts',
    title: 'Artifacts',
    icon: FileText,
    key: 'f',
    place: 'main',
    Page: lazy(() => import('@/pages/artifacts')),
  },
  {
    path: '/workspaces',
    title: 'Workspaces',
    icon: Layers,
    key: 'w',
    place: 'main',
    Page: lazy(() => import('@/pages/workspaces')),
  },
  { path: '/agents', title: 'Agents & keys', icon: Bot, key: 'a', place: 'main', Page: lazy(() => import('@/pages/agents')) },
  { path: '/search', title: 'Search', icon: Search, key: '/', place: 'foot', Page: lazy(() => import('@/pages/search')) },
  { path: '/settings', title: 'Settings', icon: Settings, key: 's', place: 'foot', Page: lazy(() => import('@/pages/settings')) },
  { path: '/help', title: 'Help', icon: LifeBuoy, key: '?', place: 'foot', Page: lazy(() => import('@/pages/help')) },
];

/** The page of a path: the longest that it begins with. */
export function pageOf(path: string): Page | undefined {
  return pages
    .filter((page) => path === page.path || (page.path !== '/' && path.startsWith(`${page.path}/`)))
    .sort((a, b) => b.path.length - a.path.length)[0];
}
