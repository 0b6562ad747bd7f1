import { Link } from '@tanstack/react-router'
import { Flex, theme } from 'antd'

export interface Section {
  readonly label: string
  /** Below `/console`, its variable parts encoded */
  readonly href: string
  /** Whether the pages below it belong to it, too. */
  readonly withPagesBelow?: boolean
}

interface SectionLinksProps {
  /** What they lead through, for who does not see them. */
  readonly label: string
  readonly sections: readonly Section[]
}

/** Leads through the pages of an area. */
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
