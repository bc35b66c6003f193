import AsyncHTTPClient
import GRDB
import Yams
import ServiceLifecycle
import NIOHTTP1
