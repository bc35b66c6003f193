public enum HTTPWirePlaceholder {}
