public enum DevelopmentIdentityPlaceholder {}
