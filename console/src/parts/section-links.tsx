import { Link } from '@tanstack/react-router'
import { Flex, theme } from 'antd'

export interface Section {
  readonly label: string
  /** Path below `/console` with encoded variable parts */
  readonly href: string
  /** Whether it includes the pages below it. */
  readonly withPagesBelow?: boolean
}

interface SectionLinksProps {
  /** The label of the navigation for screen readers. */
  readonly label: string
  readonly sections: readonly Section[]
}

/** The navigation of an area. */
export function SectionLinks({ label, sections }: SectionLinksProps) {
  const { token } = theme.useToken()
  const usual = {
    padding: '6px 12px',
    borderRadius: token.borderRadius,
    color: token.colorTextSecondary,
    whiteSpace: 'nowrap',
  } as const
  const open = { ...usual, color: token.colorLink, background: token.colorFillSecondary, fontWeight: 600 }
  return (
    <nav aria-label={label}>
      <Flex gap={4} style={{ overflowX: 'auto', paddingBlock: 2 }}>
        {sections.map(({ label: name, href, withPagesBelow = false }) => (
          <Link
            key={href}
            to={href}
            activeOptions={{ exact: !withPagesBelow, includeSearch: false }}
            style={usual}
            activeProps={{ style: open }}
          >
            {name}
          </Link>
        ))}
      </Flex>
    </nav>
  )
}
