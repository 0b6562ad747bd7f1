import { Typography } from 'antd'
import { Component, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

interface BoundaryProps {
  readonly children?: ReactNode
}

interface BoundaryState {
  readonly hasFailed: boolean
  /** The content to which `hasFailed` applies. */
  readonly children: ReactNode
}

/**
 * Shows a short notice in place of content that cannot be rendered, so that unexpected data breaks a cell or a card instead of
 * the page. New content is rendered again.
 */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { hasFailed: false, children: this.props.children }

  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { hasFailed: true }
  }

  static getDerivedStateFromProps({ children }: BoundaryProps, state: BoundaryState): Partial<BoundaryState> | null {
    return children === state.children ? null : { hasFailed: false, children }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Unshown /> : this.props.children
  }
}

function Unshown() {
  const { t } = useTranslation('parts')
  return (
    <Typography.Text type="danger" role="note">
      {t('unshown')}
    </Typography.Text>
  )
}

/** A boundary around the result of a function, which may itself throw. */
export function Guarded({ render }: { readonly render: () => ReactNode }) {
  return (
    <Boundary>
      <Rendered render={render} />
    </Boundary>
  )
}

function Rendered({ render }: { readonly render: () => ReactNode }) {
  return render()
}
